import { isIPv6 } from 'node:net';
import type { Target } from '../cluster/target.ts';

/**
 * All available addresses of a target's name, in the order in which they are tried: the target's own first,
 * the families in turn, and last those to which no connection came about the last time.
 */
export function addressesToTry(target: Target): Target[] {
  const others = target.siblings.filter((sibling) => sibling !== target && sibling.isAvailable);
  if (others.length === 0) return [target];
  const same = others.filter(({ ip }) => isIPv6(ip) === isIPv6(target.ip));
  const other = others.filter(({ ip }) => isIPv6(ip) !== isIPv6(target.ip));
  const all = [target];
  for (let index = 0; index < others.length; index++) all.push(...pairAt(other, same, index));
  return [...all.filter(isReachable), ...all.filter((each) => !isReachable(each))];
}

function pairAt(first: readonly Target[], second: readonly Target[], index: number): Target[] {
  return [first[index], second[index]].filter((each) => each !== undefined);
}

function isReachable({ isUnreachable }: Target): boolean {
  return !isUnreachable;
}
