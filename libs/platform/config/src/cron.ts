import { Cron } from 'croner';
import { DomainError } from '#platform/foundation';

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
