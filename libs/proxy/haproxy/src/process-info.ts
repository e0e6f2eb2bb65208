import { HaproxyFault } from './runtime-socket.ts';

/** Identity and start time of the HAProxy process: counters belong to one process. */
export interface ProcessInfo {
  readonly pid: number;
  readonly uptimeSec: number;
  /** Unix time; undefined in releases that do not report it. */
  readonly startTimeSec: number | undefined;
  readonly version: string;
  readonly isStopping: boolean;
}

/** Parses `show info`. Throws {@link HaproxyFault} for an invalid text. */
export function parseProcessInfo(text: string): ProcessInfo {
  const lines = Array.from(text.matchAll(/^([^:\n]+): ?(.*)$/gm), ([, name = '', value = '']) => [
    name,
    value,
  ]);
  const fields = new Map(lines as [string, string][]);
  const pid = integer(fields.get('Pid'));
  const uptimeSec = integer(fields.get('Uptime_sec'));
  if (pid === undefined || uptimeSec === undefined) {
    throw new HaproxyFault('show info: expected Pid and Uptime_sec');
  }
  return {
    pid,
    uptimeSec,
    startTimeSec: integer(fields.get('Start_time_sec')),
    version: fields.get('Version') ?? '',
    isStopping: fields.get('Stopping') === '1',
  };
}

/** Whether both describe the same process. Process ids are reused, in containers at once. */
export function isSameProcess(before: ProcessInfo, now: ProcessInfo): boolean {
  return (
    before.pid === now.pid && before.startTimeSec === now.startTimeSec && before.uptimeSec <= now.uptimeSec
  );
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
