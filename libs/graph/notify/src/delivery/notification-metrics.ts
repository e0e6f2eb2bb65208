import { Counter, Gauge, type Registry } from 'prom-client';
import type { Delivery } from '../outbox/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { AttemptOutcome } from './channel-queue.ts';

/** What deliveries tell. */
export class NotificationMetrics {
  readonly #attempts: Counter<'channel' | 'event' | 'outcome'>;

  constructor(registry: Registry, outbox: Outbox, channels: readonly string[]) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'plexus_notification_attempts_total',
      help: 'attempts to deliver a notification, by what came of them',
      labelNames: ['channel', 'event', 'outcome'],
      registers,
    });
    const collect = function (this: Gauge): void {
      for (const channel of channels) this.set({ channel }, outbox.waitingFor(channel));
    };
    const help = 'notifications that wait to be delivered';
    new Gauge({ name: 'plexus_notifications_pending', help, labelNames: ['channel'], registers, collect });
  }

  readonly attempted = ({ channel, message: { event } }: Delivery, outcome: AttemptOutcome): void => {
    this.#attempts.inc({ channel, event, outcome });
  };
}
