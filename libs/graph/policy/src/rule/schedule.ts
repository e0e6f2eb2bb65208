import { nextCronMs } from '#platform/config';
import { DomainError } from '#platform/foundation';

/** The schedule of a rule. */
export type Schedule =
  | { readonly kind: 'manual' }
  | { readonly kind: 'every'; readonly ms: number }
  | { readonly kind: 'cron'; readonly expression: string }
  | { readonly kind: 'on_sync'; readonly connectorId: string };

/** Stands for every connector. */
export const ANY_CONNECTOR = '*';

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS };
const EVERY_MS_MIN = 10_000;
const EVERY_MS_MAX = 24 * DAY_MS;

/**
 * Parses `manual`, `every:1h`, `cron:0 * * * *`, `on_sync:<connector>` or `on_sync:*`. Throws
 * INVALID_REQUEST.
 */
export function parseSchedule(text: string): Schedule {
  if (text === 'manual') return { kind: 'manual' };
  const [, kind, rest = ''] = /^(every|cron|on_sync):(.+)$/s.exec(text) ?? [];
  if (kind === 'every') return everySchedule(rest);
  if (kind === 'on_sync') return { kind: 'on_sync', connectorId: rest.trim() };
  if (kind !== 'cron')
    throw refusal(
      'expected manual, every:<duration>, cron:<expression>, on_sync:<connector> or on_sync:* for every one',
    );
  if (nextCronMs(rest, Date.now()) === undefined) throw refusal('this cron expression never fires');
  return { kind: 'cron', expression: rest };
}

function everySchedule(text: string): Schedule {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (ms >= EVERY_MS_MIN && ms <= EVERY_MS_MAX) return { kind: 'every', ms };
  throw refusal('every: expected a duration from 10s to 24d, such as 15m or 1h');
}

function refusal(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}
