import type { LbPolicy } from '../../config/proxy-config.ts';
import type { Random } from '../target/cluster-surroundings.ts';
import type { Target } from '../target/target.ts';

/** Chooses among available targets; rebuilt when they change. */
export interface Balancer {
  /**
   * Skips the targets in `tried` when there are others; `key` is used by hash rings. Undefined: none is
   * available.
   */
  pick(key: string, tried: readonly Target[]): Target | undefined;
  /** The target that {@link pick} would return now; undefined when the choice is random. */
  peek(key: string): Target | undefined;
}

export interface BalancerParts {
  readonly policy: LbPolicy;
  /** All targets, in the order of the file. */
  readonly targets: readonly Target[];
  readonly available: readonly Target[];
  readonly random: Random;
}

/** An untried target; `chosen` when all have been tried. For retries, which are rare. */
export function untried(
  available: readonly Target[],
  tried: readonly Target[],
  chosen: Target,
  random: Random,
): Target {
  if (!tried.includes(chosen)) return chosen;
  const others = available.filter((target) => !tried.includes(target));
  return others[Math.floor(random() * others.length)] ?? chosen;
}
