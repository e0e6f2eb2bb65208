import type { UpstreamFailureEvent } from '../source/proxy-event.ts';
import type { UpstreamFailureCounts } from '../source/snapshot.ts';
import { type FailureReason, kindOf } from '../source/upstream-failure.ts';
import { RareEvents } from './rare-events.ts';
import type { Timers } from './target/cluster-context.ts';

/** The facts of one failure. */
export interface UpstreamFailure {
  readonly reason: FailureReason;
  /** `ip:port`; undefined when no target was chosen. */
  readonly target?: string | undefined;
  /** The error code of the system or of TLS. */
  readonly code?: string;
}

/** The number of upstream failures of a cluster by reason. */
export class UpstreamFailures {
  readonly #cluster: string;
  readonly #timers: Timers;
  readonly #emit: (event: UpstreamFailureEvent) => void;
  readonly #rare: RareEvents<string>;
  /** Totals by {@link kindOf}. */
  readonly #totals = new Map<string, number>();
  readonly #counts: Record<FailureReason, number> = {
    connection_refused: 0,
    connect_timeout: 0,
    dns: 0,
    certificate_expired: 0,
    certificate_wrong_name: 0,
    certificate_unknown_issuer: 0,
    protocol: 0,
    reset: 0,
    timeout: 0,
    no_free_place: 0,
  };

  constructor(cluster: string, timers: Timers, emit: (event: UpstreamFailureEvent) => void) {
    this.#cluster = cluster;
    this.#timers = timers;
    this.#emit = emit;
    this.#rare = new RareEvents(timers);
  }

  note({ reason, target, code }: UpstreamFailure): void {
    this.#counts[reason] += 1;
    const kind = kindOf(reason, code);
    const total = (this.#totals.get(kind) ?? 0) + 1;
    this.#totals.set(kind, total);
    const failures = this.#rare.note(kind, total);
    if (failures === undefined) return;
    const cluster = this.#cluster;
    const timers = this.#timers;
    const emit = this.#emit;
    const facts = { ...(target !== undefined && { target }), ...(code !== undefined && { code }) };
    emit({ type: 'upstream_failure', at: timers.nowMs(), cluster, reason, ...facts, failures });
  }

  counts(): UpstreamFailureCounts {
    return { ...this.#counts };
  }
}
