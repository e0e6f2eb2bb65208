import { getPriority, platform, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread below foreground work; only Linux has priorities per thread. A
 * higher niceness is kept, since lowering it may need privileges.
 */
export function giveWay(nice: number): void {
  if (platform() === 'linux') setPriority(0, Math.max(nice, getPriority(0)));
}
