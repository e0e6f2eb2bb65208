import { systemClock } from '#platform/foundation';
import type { LoggerOptions } from './create-logger.ts';
import { standardErrorLog } from './standard-error-log.ts';

/** A log for high-volume lines: each costs one string. */
export interface LineLog {
  /** `fields` is the inside of a JSON object, without braces; `event` comes first. */
  write(message: string, fields: string): void;
}

/** Formats a line as text or JSON, in the format of the program's other lines. */
export type LineForm = (message: string, fields: string, nowMs: number) => string;

/** Lines of level `info`; undefined when that level is not logged. */
export function createLineLog({ format, level }: LoggerOptions): LineLog | undefined {
  if (level !== 'info' && level !== 'debug') return undefined;
  const lineOf = format === 'json' ? jsonLines() : textLines();
  const sink = standardErrorLog();
  return { write: (message, fields) => sink.writeLater(lineOf(message, fields, systemClock.nowMs())) };
}

/** Writes complete lines, with line ends, that another process has formatted. */
export type LineRelay = (text: string, lines: number) => void;

export function createLineRelay(): LineRelay {
  const sink = standardErrorLog();
  return (text, lines) => sink.writeLater(text, lines);
}

export function jsonLines(): LineForm {
  const timeOf = remembered((ms) => new Date(ms).toISOString());
  return (message, fields, nowMs) => `{"level":30,"time":"${timeOf(nowMs)}",${fields},"msg":"${message}"}\n`;
}

export function textLines(): LineForm {
  const timeOf = remembered(localTime);
  return (message, fields, nowMs) => `[${timeOf(nowMs)}] INFO: ${message} {${fields}}\n`;
}

/** Caches the timestamp, because many lines share a millisecond. */
function remembered(make: (ms: number) => string): (ms: number) => string {
  let lastMs = NaN;
  let text = '';
  return (ms) => {
    if (ms === lastMs) return text;
    lastMs = ms;
    text = make(ms);
    return text;
  };
}

function localTime(ms: number): string {
  const time = new Date(ms);
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${date} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
