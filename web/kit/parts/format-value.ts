const NUMBER = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const FINE = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const UTC_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const STEPS = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [Infinity, 'day'],
] as const;
const SPANS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const KIB = 1_024;

export function countText(count: number): string {
  return NUMBER.format(count);
}

/** `1 node`, `2 nodes`. */
export function countedText(count: number, noun: string, plural = `${noun}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? noun : plural}`;
}

/** `9,999`, then `10K` and `1.2M`. */
export function shortCountText(count: number): string {
  return count < 10_000 ? NUMBER.format(count) : SHORT.format(count);
}

/** One decimal below ten. An unknown value is a dash. */
export function figureText(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return (value < 10 ? FINE : WHOLE).format(value);
}

/** The two largest units: `1 h 2 min`, `1 min`. */
export function spanText(ms: number): string {
  let rest = Math.floor(ms / 1_000);
  const parts = SPANS.map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { count, unit };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${count} ${unit}`)
    .join(' ');
}

/** The time of day in the user's time zone: `14:05:09`. */
export function clockText(at: number): string {
  return CLOCK.format(at);
}

/** A share from 0 to 1; null is unknown. */
export function shareText(share: number | null): string {
  return share === null ? 'unknown' : PERCENT.format(share);
}

export function bytesText(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(KIB)));
  const value = bytes / KIB ** unit;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}

export function msText(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  return seconds < 90 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}

/** The date of a day, which is one in UTC, or of an instant in the user's time zone. */
export function dayText(moment: string): string {
  return moment.includes('T') ? DAY.format(new Date(moment)) : UTC_DAY.format(new Date(moment));
}

/** An instant at an axis, in the user's time zone: `14:05`, and `27 Nov` at the beginning of a day. */
export function axisText(instant: Date): string {
  const isMidnight = instant.getHours() === 0 && instant.getMinutes() === 0;
  return (isMidnight ? DAY_OF_YEAR : MINUTE).format(instant);
}

/** Date and time in the user's time zone. */
export function timeText(instant: string | number): string {
  return TIME.format(new Date(instant));
}

/** Date and time to the second in the user's time zone. */
export function exactTimeText(instant: string): string {
  return EXACT.format(new Date(instant));
}

/** A code of the service as a title: `Unknown class` for `UNKNOWN_CLASS`. */
export function codeText(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/^Pql\b/, 'PQL');
}

/** `3 minutes ago`. */
export function agoText(instant: string, nowMs: number): string {
  let value = Math.trunc((Date.parse(instant) - nowMs) / 1_000);
  for (const [size, unit] of STEPS) {
    if (Math.abs(value) < size) return RELATIVE.format(value, unit);
    value = Math.trunc(value / size);
  }
  return timeText(instant);
}
