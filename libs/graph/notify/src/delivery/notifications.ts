import { randomUUID } from 'node:crypto';
import type { Leadership } from '#graph/engine';
import { DeliveryFailed } from '#platform/delivery';
import { DomainError } from '#platform/foundation';
import type { Channel } from '../channel/channel.port.ts';
import type { Delivery, DeliveryState } from '../outbox/delivery.ts';
import type { NotificationMessage } from '../outbox/message.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { ChangeNotices } from '../changes/change-notices.ts';
import type { ChannelQueue } from './channel-queue.ts';

export interface ChannelTotals extends Readonly<Record<DeliveryState, number>> {
  readonly channel: string;
}

const noneOf = (channel: string) => ({ channel, pending: 0, delivered: 0, given_up: 0 });

/** The notifications of a running service. */
export class Notifications {
  readonly #outbox: Outbox;
  readonly #queues: ReadonlyMap<string, ChannelQueue>;
  readonly #changes: readonly ChangeNotices[];

  constructor(outbox: Outbox, queues: ReadonlyMap<string, ChannelQueue>, changes: readonly ChangeNotices[]) {
    this.#outbox = outbox;
    this.#queues = queues;
    this.#changes = changes;
  }

  /** Delivers waiting and new messages while this process is the delivering one. */
  async start(leadership: Pick<Leadership, 'isLeader' | 'onElected'>): Promise<void> {
    this.#outbox.onAdded((channel) => this.#queues.get(channel)?.wake());
    leadership.onElected(() => void this.#deliver());
    if (leadership.isLeader) await this.#deliver();
  }

  async #deliver(): Promise<void> {
    await this.#outbox.dropUnknown();
    for (const queue of this.#queues.values()) queue.wake();
    for (const notices of this.#changes) notices.wake();
  }

  get channels(): readonly string[] {
    return [...this.#queues.keys()];
  }

  /** Newest first: waiting messages, and the last ones delivered or given up. */
  list({
    state,
    channel,
  }: {
    readonly state?: DeliveryState | undefined;
    readonly channel?: string | undefined;
  }) {
    const all: readonly Delivery[] = this.#outbox.list();
    return all.filter(
      (one) =>
        (state === undefined || one.state === state) && (channel === undefined || one.channel === channel),
    );
  }

  /** The number of deliveries in each state, for each channel that is configured or has deliveries. */
  totals(): readonly ChannelTotals[] {
    const totals = new Map(this.channels.map((channel) => [channel, noneOf(channel)]));
    for (const { channel, state } of this.#outbox.list()) {
      const known = totals.get(channel) ?? noneOf(channel);
      known[state]++;
      totals.set(channel, known);
    }
    return [...totals.values()];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#changes.map((notices) => notices.stop()));
    await Promise.all(Array.from(this.#queues.values(), (queue) => queue.stop()));
  }
}

/** Sends a test message past all queues, once. Throws DELIVERY_FAILED with the reason. */
export async function sendTest(channel: Channel, nowMs: number): Promise<NotificationMessage> {
  const at = new Date(nowMs).toISOString();
  const message = { id: randomUUID(), event: 'test', at, count: 0, findings: [], more: 0 } as const;
  try {
    await channel.send(message, new AbortController().signal);
    return message;
  } catch (error) {
    if (!(error instanceof DeliveryFailed)) throw error;
    throw new DomainError('DELIVERY_FAILED', `the channel did not accept the message: ${error.message}`, {
      cause: error,
    });
  } finally {
    await channel.close();
  }
}
