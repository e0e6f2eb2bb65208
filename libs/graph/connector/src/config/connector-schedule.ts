import { nextCronMs } from '#platform/config';
import { DomainError } from '#platform/foundation';

const EVERY = /^every:([1-9]\d{0,5})([mhd])$/;
const CRON = /^cron:(.+)$/s;
const EVERY_MS_MAX = 20 * 86_400_000;
const MS_BY_UNIT: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The schedule of a connector. */
export interface ConnectorSchedule {
  /** As written in the file: `manual`, `every:6h`, or `cron:0 2 * * *` in UTC. */
  readonly text: string;
  /** The first time after an instant; undefined: never. */
  readonly nextMs: (afterMs: number) => number | undefined;
  /** The latest tick, if there was one since that of `fromMs`: an interval keeps its multiples. */
  readonly reachedMs: (fromMs: number, nowMs: number) => number;
}

export const MANUAL: ConnectorSchedule = {
  text: 'manual',
  nextMs: () => undefined,
  reachedMs: (_fromMs, nowMs) => nowMs,
};

/** Throws INVALID_REQUEST. */
export function parseConnectorSchedule(text: string): ConnectorSchedule {
  if (text === 'manual') return MANUAL;
  const [, expression] = CRON.exec(text) ?? [];
  if (expression !== undefined) return cronSchedule(text, expression);
  const [, digits, unit = ''] = EVERY.exec(text) ?? [];
  const everyMs = Number(digits) * (MS_BY_UNIT[unit] ?? 0);
  if (everyMs <= EVERY_MS_MAX)
    return {
      text,
      nextMs: (afterMs) => afterMs + everyMs,
      reachedMs: (fromMs, nowMs) => nowMs - ((nowMs - fromMs) % everyMs),
    };
  throw refusal(
    'expected manual, cron:0 2 * * *, or a span of at most 20d such as every:30m, every:6h or every:1d',
  );
}

function cronSchedule(text: string, expression: string): ConnectorSchedule {
  const nextMs = (afterMs: number): number | undefined => nextCronMs(expression, afterMs);
  if (nextMs(Date.now()) === undefined) throw refusal('this cron expression never fires');
  return { text, nextMs, reachedMs: (_fromMs, nowMs) => nowMs };
}

function refusal(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}
