import { Cron } from 'croner';
import { DomainError } from '#platform/foundation';

/**
 * When a cron expression of five fields fires next after an instant, in UTC; undefined when it never will.
 * Throws INVALID_REQUEST for what is no such expression.
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
