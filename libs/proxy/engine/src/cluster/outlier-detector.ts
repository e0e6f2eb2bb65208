/**
 * Leaves out targets whose answers are bad, for a while, as Envoy does.
 *
 * 1. A target is ejected after `consecutive_5xx` answers of 500 and above, resets and time-outs in a row, or
 *    after `consecutive_connect_failures` connections in a row that did not come about.
 * 2. The n-th ejection takes n times `base_ejection_time`, at most the greater of that and five minutes. Each
 *    `base_ejection_time` in service forgives one ejection.
 * 3. No more than `max_ejection_percent` of the targets are out at a time, but always one may be.
 * 4. The last available target stays: there is nowhere else to send a request. (Envoy gets there by its panic
 *    threshold.)
 * 5. With a supervisor, this process counts what is in a row among its own requests, and asks for ejections.
 */
import type { OutlierDetectionConfig } from '../config/proxy-config.ts';
import type { EndpointEjectedEvent, EndpointReturnedEvent } from '../source/proxy-event.ts';
import type { CallOff, Supervisor, Timers } from './target/cluster-surroundings.ts';
import { type Outcome, tellsOfEndpoint } from './target/endpoint-counters.ts';
import type { Target } from './target/target.ts';

const EJECTION_MS_MAX = 300_000;

/** The targets that are judged, and who has to know. */
export interface Bench {
  readonly targets: readonly Target[];
  readonly available: readonly Target[];
  /** What is available has changed. */
  refresh(): void;
}

export interface OutlierDetectorParts {
  readonly cluster: string;
  readonly bench: Bench;
  readonly timers: Timers;
  readonly emit: (event: EndpointEjectedEvent | EndpointReturnedEvent) => void;
  readonly supervisor?: Supervisor | undefined;
}

interface EjectionRecord {
  times: number;
  /** Since when it is in service again, on the monotonic clock. */
  returnedMs: number;
  callOff: CallOff | undefined;
}

export class OutlierDetector {
  readonly #parts: OutlierDetectorParts;
  readonly #records = new Map<Target, EjectionRecord>();
  /** A supervisor judges them now. */
  readonly #suspects = new Set<Target>();
  #config: OutlierDetectionConfig | undefined;

  constructor(parts: OutlierDetectorParts) {
    this.#parts = parts;
  }

  /** Without a configuration nobody is ejected, and who is comes back. */
  configure(config: OutlierDetectionConfig | undefined): void {
    this.#config = config;
    if (config !== undefined) return;
    for (const target of Array.from(this.#records.keys())) this.forget(target);
  }

  observe(target: Target, outcome: Outcome): void {
    if (!tellsOfEndpoint(outcome)) return;
    if (outcome === 'connect_failure') target.consecutiveConnectFailures += 1;
    else target.consecutiveConnectFailures = 0;
    if (outcome === 'success') target.consecutive5xx = 0;
    else if (outcome !== 'connect_failure') target.consecutive5xx += 1;
    if (outcome !== 'success' && this.#config !== undefined) this.#judge(target, this.#config);
  }

  /** Of a target that is leaving. */
  forget(target: Target): void {
    const record = this.#records.get(target);
    if (record === undefined) return;
    record.callOff?.();
    this.#records.delete(target);
    if (target.isEjected) this.#return(target);
  }

  /** Takes the target out of service for a while, where the configuration lets it. */
  eject(target: Target, reason: string): void {
    if (this.#config === undefined || target.isEjected || target.isRetired) return;
    this.#eject(target, this.#config, reason);
  }

  #judge(target: Target, config: OutlierDetectionConfig): void {
    if (target.isEjected || target.isRetired) return;
    const { consecutive5xx, consecutiveConnectFailures } = target;
    if (consecutive5xx >= config.consecutive5xx) {
      this.#accuse(target, config, `${consecutive5xx} bad answers in a row`);
    } else if (consecutiveConnectFailures >= config.consecutiveConnectFailures) {
      this.#accuse(target, config, `${consecutiveConnectFailures} failed connections in a row`);
    }
  }

  #accuse(target: Target, config: OutlierDetectionConfig, reason: string): void {
    const { supervisor, cluster } = this.#parts;
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
    const { cluster, bench, timers, emit } = this.#parts;
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
    const { targets } = this.#parts.bench;
    const ejected = targets.filter((target) => target.isEjected).length;
    return ejected === 0 || (ejected + 1) * 100 <= maxEjectionPercent * targets.length;
  }

  #recordOf(target: Target, { baseEjectionTimeMs }: OutlierDetectionConfig): EjectionRecord {
    const known = this.#records.get(target);
    if (known === undefined) {
      const fresh = { times: 0, returnedMs: 0, callOff: undefined };
      this.#records.set(target, fresh);
      return fresh;
    }
    const inServiceMs = this.#parts.timers.monotonicMs() - known.returnedMs;
    known.times = Math.max(0, known.times - Math.floor(inServiceMs / baseEjectionTimeMs));
    return known;
  }

  #return(target: Target): void {
    const { cluster, bench, timers, emit } = this.#parts;
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

function isLast(target: Target, available: readonly Target[]): boolean {
  return available.length === 0 || (available.length === 1 && available[0] === target);
}
