import { Cron } from 'croner';
import { DomainError } from '#platform/foundation';
import { durationSetting, SettingFault } from '../setting.ts';
import { refuse, type Shape } from './shape.ts';

const DURATION = durationSetting({ env: '', about: '', fallback: 0 });

export interface DurationBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/** A span of time, read as milliseconds: `500ms`, `10s`, `5m`, `2h`. */
export function duration({ minMs, maxMs }: DurationBounds): Shape<number> {
  const expects = `a duration from ${durationText(minMs)} to ${durationText(maxMs)}, such as 500ms, 10s or 5m`;
  return {
    expects,
    read: (value, at) => {
      const ms = typeof value === 'string' ? durationMs(value) : undefined;
      if (ms !== undefined && ms >= minMs && ms <= maxMs) return ms;
      refuse(at, expects);
      return undefined;
    },
  };
}

function durationMs(text: string): number | undefined {
  if (text === '0' || text === '0s') return 0;
  try {
    return DURATION.parse(text);
  } catch (error) {
    if (error instanceof SettingFault) return undefined;
    throw error;
  }
}

/** The text that `duration` reads, in the largest unit that fits. */
export function durationText(ms: number): string {
  const units = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  for (const [unit, size] of units) if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  return ms === 0 ? '0s' : `${ms}ms`;
}

/**
 * The next time after an instant at which a cron expression of five fields fires, in UTC; undefined when it
 * never does. Throws INVALID_REQUEST for an invalid expression.
 */
export function nextCronMs(expression: string, afterMs: number): number | undefined {
  try {
    const cron = new Cron(expression.trim(), { timezone: 'Etc/UTC', paused: true, mode: '5-part' });
    return cron.nextRun(new Date(afterMs))?.getTime();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DomainError('INVALID_REQUEST', `expected a cron expression of five fields: ${why}`);
  }
}
