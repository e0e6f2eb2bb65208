import type { Target } from '../target/target.ts';
import type { Random } from '../target/cluster-surroundings.ts';

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
