import { readdirSync, readFileSync } from 'node:fs';

/** File descriptors of this process: how many are open, and how many may be. */
export interface Descriptors {
  readonly open: number;
  readonly max: number;
}

const OPEN = '/proc/self/fd';
const LIMITS = '/proc/self/limits';
const LIMIT = /^Max open files +(\d+) /m;

/** Undefined where the system does not tell. Costs a look at each open descriptor. */
export function countDescriptors(): Descriptors | undefined {
  try {
    const max = Number(LIMIT.exec(readFileSync(LIMITS, 'latin1'))?.[1]);
    return Number.isNaN(max) ? undefined : { open: readdirSync(OPEN).length, max };
  } catch {
    return undefined;
  }
}
