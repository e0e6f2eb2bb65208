/** A point in time: the value of NOW, and of RFC 3339 text that is compared with an instant. */
export class Instant {
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }
}

/** Numbers from this size on are milliseconds since the epoch (3 March 1973), smaller ones seconds. */
const EPOCH_MS_MIN = 1e11;

/** Milliseconds since the epoch of a number that counts them, or seconds. */
export function epochMs(value: number): number {
  return Math.abs(value) < EPOCH_MS_MIN ? value * 1_000 : value;
}

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,12})?(?:[Zz]|([+-])(\d\d):(\d\d)))?$/;

/** Milliseconds since the epoch of an RFC 3339 date-time, or of a date alone (its first instant in UTC). */
export function parseInstant(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const isInRange = part(4) <= 23 && part(5) <= 59 && part(6) <= 60 && part(9) <= 23 && part(10) <= 59;
  const day = dayStart(part(1), part(2), part(3));
  if (day === undefined || !isInRange) return undefined;
  const offsetMs = (match[8] === '-' ? -1 : 1) * (part(9) * 60 + part(10)) * 60_000;
  return day + ((part(4) * 60 + part(5)) * 60 + part(6)) * 1000 + part(7) * 1000 - offsetMs;
}

function dayStart(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}
