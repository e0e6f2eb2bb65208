import type { LbPolicy } from '../../config/proxy-config.ts';
import type { Random } from '../target/cluster-surroundings.ts';
import type { Target } from '../target/target.ts';

/** Chooses among available targets; made anew when they change. */
export interface Balancer {
  /** `tried` are left out when there are others; `key` matters to rings. Undefined: none is available. */
  pick(key: string, tried: readonly Target[]): Target | undefined;
  /** What {@link pick} would give now; undefined when chance decides. */
  peek(key: string): Target | undefined;
}

export interface BalancerParts {
  readonly policy: LbPolicy;
  /** All targets, in the order of the file. */
  readonly targets: readonly Target[];
  readonly available: readonly Target[];
  readonly random: Random;
}

/** Any one that has not been tried; `chosen` when all have. For retries, which are rare. */
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
