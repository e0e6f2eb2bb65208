import { getPriority, platform, setPriority } from 'node:os';

/**
 * Foreground work goes before that of the calling thread: only on Linux has a thread a priority of its own.
 * One that gives way by more already stays as it is, for it may not be allowed to take that back.
 */
export function giveWay(nice: number): void {
  if (platform() === 'linux') setPriority(0, Math.max(nice, getPriority(0)));
}
