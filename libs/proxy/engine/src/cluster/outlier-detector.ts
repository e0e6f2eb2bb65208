/**
 * Outlier detection as in Envoy: targets with bad responses are ejected for a while.
 *
 * 1. A target is ejected after `consecutive_5xx` responses of 500 and above, resets and time-outs in a row,
 *    or after `consecutive_connect_failures` failed connections in a row.
 * 2. The n-th ejection lasts n times `base_ejection_time`, at most the greater of that and five minutes. Each
 *    `base_ejection_time` in service forgives one ejection.
 * 3. At most `max_ejection_percent` of the targets are ejected at a time, but one may always be, unless
 *    it is 0.
 * 4. The last available target is never ejected: a request has no other target. (Envoy achieves this by its
 *    panic threshold.)
 * 5. With a supervisor, this process counts failures in a row among its own requests, and requests ejections.
 */
import type { OutlierDetectionConfig } from '../config/proxy-config.ts';
import type { EndpointEjectedEvent, EndpointReturnedEvent } from '../source/proxy-event.ts';
import type { CallOff, Supervisor, Timers } from './target/cluster-context.ts';
import { type Outcome, concernsEndpoint } from './target/endpoint-counters.ts';
import type { Target } from './target/target.ts';

const EJECTION_MS_MAX = 300_000;

/** The observed targets, and the cluster to notify. */
export interface ObservedTargets {
  readonly targets: readonly Target[];
  readonly available: readonly Target[];
  /** Called when availability has changed. */
  refresh(): void;
}

interface EjectionRecord {
  times: number;
  /** Time of its return to service, on the monotonic clock. */
  returnedMs: number;
  callOff: CallOff | undefined;
}

export class OutlierDetector {
  readonly #cluster: string;
  readonly #bench: ObservedTargets;
  readonly #timers: Timers;
  readonly #emit: (event: EndpointEjectedEvent | EndpointReturnedEvent) => void;
  readonly #supervisor: Supervisor | undefined;
  readonly #records = new Map<Target, EjectionRecord>();
  /** Targets that the supervisor is judging. */
  readonly #suspects = new Set<Target>();
  #config: OutlierDetectionConfig | undefined;

  constructor(
    cluster: string,
    bench: ObservedTargets,
    timers: Timers,
    emit: (event: EndpointEjectedEvent | EndpointReturnedEvent) => void,
    supervisor: Supervisor | undefined,
  ) {
    this.#cluster = cluster;
    this.#bench = bench;
    this.#timers = timers;
    this.#emit = emit;
    this.#supervisor = supervisor;
  }

  /** Sets the configuration; if it is undefined, no target is ejected, and ejected ones return. */
  configure(config: OutlierDetectionConfig | undefined): void {
    this.#config = config;
    if (config !== undefined) return;
    for (const target of Array.from(this.#records.keys())) this.forget(target);
  }

  observe(target: Target, outcome: Outcome): void {
    if (!concernsEndpoint(outcome)) return;
    if (outcome === 'connect_failure') target.consecutiveConnectFailures += 1;
    else target.consecutiveConnectFailures = 0;
    if (outcome === 'success') target.consecutive5xx = 0;
    else if (outcome !== 'connect_failure') target.consecutive5xx += 1;
    if (outcome !== 'success' && this.#config !== undefined) this.#judge(target, this.#config);
  }

  /** Whether more failures of the target in a row are awaited, which will eject it. */
  awaits({ consecutive5xx, consecutiveConnectFailures }: Target): boolean {
    const config = this.#config;
    return (
      config !== undefined &&
      config.maxEjectionPercent > 0 &&
      consecutive5xx < config.consecutive5xx &&
      consecutiveConnectFailures < config.consecutiveConnectFailures
    );
  }

  /** Forgets a target that is removed. */
  forget(target: Target): void {
    const record = this.#records.get(target);
    if (record === undefined) return;
    record.callOff?.();
    this.#records.delete(target);
    if (target.isEjected) this.#return(target);
  }

  /** Ejects the target for a while, if the configuration allows it. */
  eject(target: Target, reason: string): void {
    if (this.#config === undefined || target.isEjected || target.isRetired) return;
    this.#eject(target, this.#config, reason);
  }

  #judge(target: Target, config: OutlierDetectionConfig): void {
    if (target.isEjected || target.isRetired) return;
    const { consecutive5xx, consecutiveConnectFailures } = target;
    if (consecutive5xx >= config.consecutive5xx) {
      this.#accuse(target, config, inARow(consecutive5xx, 'bad answer'));
    } else if (consecutiveConnectFailures >= config.consecutiveConnectFailures) {
      this.#accuse(target, config, inARow(consecutiveConnectFailures, 'failed connection'));
    }
  }

  #accuse(target: Target, config: OutlierDetectionConfig, reason: string): void {
    const supervisor = this.#supervisor;
    const cluster = this.#cluster;
    if (supervisor === undefined) {
      this.#eject(target, config, reason);
      return;
    }
    if (!target.isAvailable || this.#suspects.has(target)) return;
    this.#suspects.add(target);
    const suspicion = { cluster, address: target.endpoint.text, ip: target.ip, reason };
    void supervisor.suspect(suspicion).finally(() => this.#suspects.delete(target));
  }

  #eject(target: Target, config: OutlierDetectionConfig, reason: string): void {
    const cluster = this.#cluster;
    const bench = this.#bench;
    const timers = this.#timers;
    const emit = this.#emit;
    if (isLast(target, bench.available) || !this.#mayEject(config)) return;
    const record = this.#recordOf(target, config);
    record.times += 1;
    const base = config.baseEjectionTimeMs;
    const ejectionMs = Math.min(base * record.times, Math.max(base, EJECTION_MS_MAX));
    target.isEjected = true;
    target.ejectedUntilMs = timers.nowMs() + ejectionMs;
    target.counters.ejections += 1;
    record.callOff = timers.after(ejectionMs, () => this.#return(target));
    bench.refresh();
    const { address } = target;
    const untilMs = target.ejectedUntilMs;
    emit({
      type: 'endpoint_ejected',
      at: timers.nowMs(),
      cluster,
      address: target.endpoint.text,
      target: address,
      untilMs,
      reason,
    });
  }

  #mayEject({ maxEjectionPercent }: OutlierDetectionConfig): boolean {
    const { targets } = this.#bench;
    const ejected = targets.filter((target) => target.isEjected).length;
    if (maxEjectionPercent === 0) return false;
    return ejected === 0 || (ejected + 1) * 100 <= maxEjectionPercent * targets.length;
  }

  #recordOf(target: Target, { baseEjectionTimeMs }: OutlierDetectionConfig): EjectionRecord {
    const known = this.#records.get(target);
    if (known === undefined) {
      const fresh = { times: 0, returnedMs: 0, callOff: undefined };
      this.#records.set(target, fresh);
      return fresh;
    }
    const inServiceMs = this.#timers.monotonicMs() - known.returnedMs;
    known.times = Math.max(0, known.times - Math.floor(inServiceMs / baseEjectionTimeMs));
    return known;
  }

  #return(target: Target): void {
    const cluster = this.#cluster;
    const bench = this.#bench;
    const timers = this.#timers;
    const emit = this.#emit;
    const record = this.#records.get(target);
    if (record !== undefined) record.returnedMs = timers.monotonicMs();
    target.isEjected = false;
    target.ejectedUntilMs = 0;
    target.consecutive5xx = 0;
    target.consecutiveConnectFailures = 0;
    if (target.isRetired) return;
    bench.refresh();
    emit({
      type: 'endpoint_returned',
      at: timers.nowMs(),
      cluster,
      address: target.endpoint.text,
      target: target.address,
    });
  }
}

function inARow(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s in a row`;
}

function isLast(target: Target, available: readonly Target[]): boolean {
  return available.length === 0 || (available.length === 1 && available[0] === target);
}
