/**
 * Facts of the system about processes.
 *
 * Identity of a process: on Linux the 22nd field of /proc/<pid>/stat is the start time in clock ticks since
 * boot, and /proc/sys/kernel/random/boot_id changes with every boot. On other systems only the pid is known,
 * and any process with that pid counts as the holder: the store then refuses to open rather than being
 * shared.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ProcessIdentity } from './disk.port.ts';

const BOOT_ID_PATH = '/proc/sys/kernel/random/boot_id';
/**
 * Index of the start time after the command name, which ends at the last `)`: field 22 less the first two.
 */
const START_TIME_INDEX = 19;
const OPEN = '/proc/self/fd';
const LIMITS = '/proc/self/limits';
const SCHEDULING = '/proc/self/schedstat';
const NS_A_MS = 1_000_000;
const LIMIT = /^Max open files +(\d+) /m;

export async function ownIdentity(): Promise<ProcessIdentity> {
  return { pid: process.pid, startTime: await startTimeOf(process.pid), bootId: await bootId() };
}

export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  if (identity.bootId !== undefined && identity.bootId !== (await bootId())) return false;
  if (!isPidInUse(identity.pid)) return false;
  return identity.startTime === undefined || identity.startTime === (await startTimeOf(identity.pid));
}

async function startTimeOf(pid: number): Promise<string | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_INDEX];
}

async function bootId(): Promise<string | undefined> {
  return (await readIfThere(BOOT_ID_PATH))?.trim();
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

/** Signal 0 only probes; EPERM means that the process runs under another user. */
function isPidInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM';
  }
}

/** File descriptors of this process: the number open, and the limit. */
export interface Descriptors {
  readonly open: number;
  readonly max: number;
}

/** Undefined where the system does not report them. Reads one entry for each open descriptor. */
export function countDescriptors(): Descriptors | undefined {
  try {
    const max = Number(LIMIT.exec(readFileSync(LIMITS, 'latin1'))?.[1]);
    return Number.isNaN(max) ? undefined : { open: readdirSync(OPEN).length, max };
  } catch {
    return undefined;
  }
}

/** How long a thread ran, and how long it was ready to run without a processor; in ms since its start. */
export interface ThreadTimes {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/** Of the main thread of this process; undefined where the system does not count this. */
export function mainThreadTimes(): ThreadTimes | undefined {
  try {
    const [ranNs = NaN, waitedNs = NaN] = readFileSync(SCHEDULING, 'latin1').split(' ').map(Number);
    return Number.isNaN(waitedNs) ? undefined : { ranMs: ranNs / NS_A_MS, waitedMs: waitedNs / NS_A_MS };
  } catch {
    return undefined;
  }
}
