import { scalarText } from './json-text.ts';

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i;
const SECOND_MS = 1_000;

interface Instant {
  readonly ms: number;
  /** Digits after the second, without zeros at the end: their order is that of texts. */
  readonly fraction: string;
}

/** Orders two times of RFC 3339 of any precision; a value that is no time is before all others. */
export function compareInstants(a: unknown, b: unknown): number {
  const [left, right] = [instantOf(a), instantOf(b)];
  if (left === undefined || right === undefined)
    return Number(left !== undefined) - Number(right !== undefined);
  if (left.ms !== right.ms) return left.ms - right.ms;
  if (left.fraction === right.fraction) return 0;
  return left.fraction < right.fraction ? -1 : 1;
}

/** Whether a text is a time of RFC 3339. */
export function isInstant(text: string): boolean {
  return instantOf(text) !== undefined;
}

function instantOf(value: unknown): Instant | undefined {
  const parts = TIME.exec(scalarText(value));
  // What is no time has no parts, of which the parser of dates would still make one.
  if (parts === null) return undefined;
  const [, day, minute, second = '', fraction = '', zone = ''] = parts;
  const minuteMs = Date.parse(`${day}T${minute}:00${zone.toUpperCase()}`);
  // RFC 3339 has leap seconds: 23:59:60.
  if (Number.isNaN(minuteMs) || Number(second) > 60) return undefined;
  return { ms: minuteMs + Number(second) * SECOND_MS, fraction: fraction.replace(/0+$/, '') };
}
