import { readFileSync } from 'node:fs';

const TICK_MS = 10;
/** After the name in parentheses: utime and stime are fields 14 and 15 of /proc/<pid>/stat. */
const UTIME_AT = 11;
const KIB = 1_024;
const MB = 1e6;

/** Processor time of a process, without its children; NaN where there is no /proc. */
export function cpuMsOf(pid: number): number {
  const stat = procFile(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME_AT]) + Number(fields[UTIME_AT + 1])) * TICK_MS;
}

/** The same of its children together: those that have not ended. */
export function cpuMsOfChildren(pid: number): number {
  const children = procFile(pid, `task/${pid}/children`).trim();
  if (children === '') return Number.NaN;
  return children.split(' ').reduce((sum, child) => sum + cpuMsOf(Number(child)), 0);
}

/** Peak memory of a process, in 10^6 bytes; NaN where there is no /proc. */
export function peakMbOf(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(procFile(pid, 'status')) ?? [];
  return (Number(kib ?? Number.NaN) * KIB) / MB;
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
