import { DeliveryFailed, DeliveryRefused } from '#platform/delivery';
import { pause } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { Channel } from '../channel/channel.port.ts';
import type { Delivery } from '../outbox/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { RetrySchedule } from './retry-schedule.ts';

/** The result of one attempt. */
export type AttemptOutcome = 'delivered' | 'failed' | 'refused' | 'given_up';

export interface ChannelQueueOptions {
  readonly name: string;
  readonly channel: Channel;
  readonly outbox: Outbox;
  readonly retries: RetrySchedule;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Whether this process delivers; another process can continue after it. */
  readonly isLeader: () => boolean;
  readonly onAttempt: (delivery: Delivery, outcome: AttemptOutcome) => void;
}

/**
 * Delivers the messages of a channel one after the other, which keeps the events of a finding in order. A
 * failed message is retried, and blocks the following ones, until it is given up; a refused one is given up
 * at once.
 */
export class ChannelQueue {
  readonly #options: ChannelQueueOptions;
  readonly #stopped = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ChannelQueueOptions) {
    this.#options = options;
  }

  /** Called when a message is waiting. */
  wake(): void {
    if (this.#running !== undefined || this.#isStopped()) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Aborts the current attempt; the message is sent again after a restart. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await this.#options.channel.close();
  }

  async #run(): Promise<void> {
    const { outbox, name } = this.#options;
    for (let next = outbox.first(name); next !== undefined; next = outbox.first(name)) {
      const waitMs = this.#options.retries.waitMs(next);
      if (waitMs > 0) await pause(waitMs, this.#stopped.signal);
      if (this.#isStopped()) return;
      await this.#attempt(next);
      if (this.#isStopped()) return;
    }
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted || !this.#options.isLeader();
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { channel, outbox, onAttempt } = this.#options;
    const tried = { ...delivery, attempts: delivery.attempts + 1 };
    try {
      await channel.send(delivery.message, this.#stopped.signal);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      await this.#failed(tried, error);
      return;
    }
    onAttempt(delivery, 'delivered');
    await outbox.end(tried, null);
  }

  async #failed(tried: Delivery, error: unknown): Promise<void> {
    const { outbox, retries, name, log, onAttempt } = this.#options;
    // Any other error is a defect, which must not stop the other channels.
    const reason = error instanceof DeliveryFailed ? error.message : 'an unexpected fault';
    const isRefused = error instanceof DeliveryRefused;
    const nextAt = isRefused ? undefined : retries.nextAt(tried);
    const fields = { channel: name, id: tried.message.id, attempts: tried.attempts, reason };
    if (!(error instanceof DeliveryFailed)) Object.assign(fields, { err: error });
    if (nextAt === undefined) {
      const outcome = isRefused ? 'refused' : 'given_up';
      onAttempt(tried, outcome);
      log.warn({ event: `notification.${outcome}`, ...fields }, 'notification given up');
      await outbox.end(tried, reason);
      return;
    }
    onAttempt(tried, 'failed');
    log.warn({ event: 'notification.failed', ...fields }, 'notification delivery failed');
    await outbox.note({ ...tried, next_at: nextAt, error: reason });
  }
}
