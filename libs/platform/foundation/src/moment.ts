const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * The milliseconds since 1970 of a date, which means its first instant in UTC, or of an RFC 3339 instant with
 * its offset, whose seconds may be missing; undefined for any other text.
 */
export function momentMs(text: string): number | undefined {
  const [, year, month, day] = MOMENT.exec(text) ?? [];
  const ms = year === undefined ? NaN : Date.parse(text);
  // The parser takes 31 February as 3 March.
  const dayMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return Number.isNaN(ms) || new Date(dayMs).getUTCDate() !== Number(day) ? undefined : ms;
}
