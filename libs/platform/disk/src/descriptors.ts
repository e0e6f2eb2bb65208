import { readdirSync, readFileSync } from 'node:fs';

/** File descriptors of this process: the number open, and the limit. */
export interface Descriptors {
  readonly open: number;
  readonly max: number;
}

const OPEN = '/proc/self/fd';
const LIMITS = '/proc/self/limits';
const LIMIT = /^Max open files +(\d+) /m;

/** Undefined where the system does not report them. Reads one entry for each open descriptor. */
export function countDescriptors(): Descriptors | undefined {
  try {
    const max = Number(LIMIT.exec(readFileSync(LIMITS, 'latin1'))?.[1]);
    return Number.isNaN(max) ? undefined : { open: readdirSync(OPEN).length, max };
  } catch {
    return undefined;
  }
}
