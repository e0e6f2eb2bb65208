import { isDeepStrictEqual } from 'node:util';
import type { ClusterTls, HealthCheckConfig } from '../../config/proxy-config.ts';
import type { ClusterContext } from '../target/cluster-context.ts';
import type { Target } from '../target/target.ts';
import { HealthChecker } from './health-checker.ts';

export interface CheckSettings {
  readonly healthCheck: HealthCheckConfig | undefined;
  readonly tls: ClusterTls | undefined;
}

export interface TargetChecksParts {
  readonly context: ClusterContext;
  readonly onChange: (target: Target, reason: string) => void;
}

/** The health checks of an endpoint's targets. Without a health check every target is healthy. */
export class TargetChecks {
  readonly #parts: TargetChecksParts;
  readonly #checkers = new Map<Target, HealthChecker>();
  #settings: CheckSettings;

  constructor(parts: TargetChecksParts, { healthCheck, tls }: CheckSettings) {
    this.#parts = parts;
    this.#settings = { healthCheck, tls };
  }

  /** Checks whose settings change are restarted; their previous result is kept. */
  configure({ healthCheck, tls }: CheckSettings, targets: readonly Target[]): void {
    const settings = { healthCheck, tls };
    if (isDeepStrictEqual(this.#settings, settings)) return;
    this.#settings = settings;
    this.stop();
    for (const target of targets) void this.watch(target);
  }

  /** Resolves after the first check; at once when the target is checked already. */
  async watch(target: Target): Promise<void> {
    const { healthCheck: check, tls } = this.#settings;
    if (check === undefined) {
      target.isHealthy = true;
      target.lastCheck = undefined;
    } else if (!this.#checkers.has(target)) {
      const checker = new HealthChecker({ ...this.#parts, target, check, tls });
      this.#checkers.set(target, checker);
      await checker.start();
    }
  }

  /** Ends all checks, including those in progress. */
  stop(): void {
    for (const checker of this.#checkers.values()) checker.stop();
    this.#checkers.clear();
  }

  forget(target: Target): void {
    this.#checkers.get(target)?.stop();
    this.#checkers.delete(target);
  }
}
