/**
 * Active health checks of one target.
 *
 * 1. The first check decides at once. After it, a healthy target becomes unhealthy after
 *    `unhealthy_threshold` failures in a row, an unhealthy one healthy after `healthy_threshold` passes in a
 *    row.
 * 2. The pause between two checks is the interval, ± a tenth, so that many proxies do not check at the same
 *    time.
 * 3. A check that the proxy could not make, for lack of a descriptor or a port, is ignored.
 * 4. There is one check at a time, and none after `stop`.
 */
import type { ClusterTls, HealthCheckConfig } from '../../config/proxy-config.ts';
import type { CallOff, ClusterContext } from '../target/cluster-context.ts';
import type { ProbeResult, Target } from '../target/target.ts';

const JITTER = 0.1;

export interface HealthCheckerParts {
  readonly target: Target;
  readonly check: HealthCheckConfig;
  readonly tls: ClusterTls | undefined;
  readonly context: Pick<ClusterContext, 'timers' | 'random' | 'probe'>;
  /** Called when the target's health changes, or is known for the first time. */
  readonly onChange: (target: Target, reason: string) => void;
}

export class HealthChecker {
  readonly #parts: HealthCheckerParts;
  readonly #stopping = new AbortController();
  #callOff: CallOff | undefined;

  constructor(parts: HealthCheckerParts) {
    this.#parts = parts;
  }

  /** Resolves after the first check. */
  async start(): Promise<void> {
    await this.#look();
  }

  stop(): void {
    this.#callOff?.();
    this.#stopping.abort();
  }

  async #look(): Promise<void> {
    const { target, check, tls, context } = this.#parts;
    const { timers, probe } = context;
    const startedMs = timers.monotonicMs();
    const { signal } = this.#stopping;
    const result = await probe({ check, ip: target.ip, endpoint: target.endpoint, tls }, signal);
    if (signal.aborted) return;
    if (result.isOwnFault !== true) this.#note(result, timers.monotonicMs() - startedMs);
    this.#callOff = timers.after(this.#pauseMs(), () => void this.#look());
  }

  #note({ isPassed, reason }: ProbeResult, latencyMs: number): void {
    const { target, context, onChange } = this.#parts;
    const before = target.lastCheck;
    const result = isPassed ? 'passed' : 'failed';
    const streak = before?.result === result ? (before.streak ?? 0) + 1 : 1;
    target.lastCheck = { at: context.timers.nowMs(), result, latencyMs, reason, streak };
    if (isPassed) target.counters.checksPassed += 1;
    else target.counters.checksFailed += 1;
    const isNews = before === undefined || isPassed !== target.isHealthy;
    if (!isNews || (before !== undefined && streak < this.#thresholdFor(isPassed))) return;
    target.isHealthy = isPassed;
    onChange(target, reason);
  }

  #thresholdFor(isPassed: boolean): number {
    const { check } = this.#parts;
    return isPassed ? check.healthyThreshold : check.unhealthyThreshold;
  }

  #pauseMs(): number {
    const { check, context } = this.#parts;
    return check.intervalMs * (1 - JITTER + 2 * JITTER * context.random());
  }
}
