import type { LbPolicy } from '../../config/proxy-config.ts';
import type { Random } from '../target/cluster-context.ts';
import type { Target } from '../target/target.ts';

/** Chooses among available targets; rebuilt when they change. */
export interface Balancer {
  /**
   * Skips the targets in `tried`, and those that are passed over, when there are others; `key` is used by
   * hash rings. A choice after `tried` does not change the turn of other requests. Undefined: none is
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

/**
 * The targets to choose from after `tried`, or in place of one that is passed over: not in `tried`, and not
 * passed over when there are such. For failures, which are rare.
 */
export function others(available: readonly Target[], tried: readonly Target[]): readonly Target[] {
  const inTurn = available.filter((target) => !target.isPassedOver && !tried.includes(target));
  return inTurn.length > 0 ? inTurn : available.filter((target) => !tried.includes(target));
}
