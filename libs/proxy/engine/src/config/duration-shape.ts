import type { Shape } from '#platform/config';
import { parsedText } from './parsed-shape.ts';

const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;
const MS_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
/** As far as the system's timers reach. */
const DURATION_MS_MAX = 24 * 86_400_000;

/** Milliseconds, written `200ms`, `5s`, `1h`. With `zero` they may be none at all. */
export function duration({ zero = false }: { readonly zero?: boolean } = {}): Shape<number> {
  const expects = `a duration from ${zero ? '0s' : '1ms'} to 24d, such as 200ms, 5s or 1h`;
  return parsedText(expects, (text) => {
    const [, digits, unit = ''] = DURATION.exec(text) ?? [];
    const ms = Number(digits) * (MS_BY_UNIT.get(unit) ?? NaN);
    return ms <= DURATION_MS_MAX && (zero || ms > 0) ? ms : undefined;
  });
}
