import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Counter } from 'prom-client';
import type { Delivery } from '../outbox/delivery.ts';
import type { AttemptOutcome } from './channel-queue.ts';

export const ATTEMPTS = 'plexus_notification_attempts_total';

/** Statistics of deliveries. */
@Injectable()
export class NotificationMetrics {
  readonly #attempts: Counter<'channel' | 'event' | 'outcome'>;

  constructor(@InjectMetric(ATTEMPTS) attempts: Counter<'channel' | 'event' | 'outcome'>) {
    this.#attempts = attempts;
  }

  readonly attempted = ({ channel, message: { event } }: Delivery, outcome: AttemptOutcome): void => {
    this.#attempts.inc({ channel, event, outcome });
  };
}
