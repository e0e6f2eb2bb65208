/**
 * The outbox: messages to be delivered, in the store. A message is written in the same batch as the change
 * that it reports, so both exist or neither. It is kept until it is delivered or given up, and shown for a
 * while after. Its namespace is that of its origin, since a batch has one namespace.
 */
import { CONNECTOR_NAMESPACE, type RunListener, type RunRecord } from '#graph/connector';
import type { Documents } from '#graph/engine';
import { type EvaluationListener, type EvaluationNews, POLICY_NAMESPACE } from '#graph/policy';
import { type Clock, DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { NotificationConfig } from '../config/notification-config.ts';
import type { Delivery } from './delivery.ts';
import { type Addressed, messagesOf, noticesOfEvaluation, noticesOfRun } from './message.ts';

export const MESSAGE_PREFIX = 'notification/';
/** Of messages about changes of the graph. */
export const CHANGES_NAMESPACE = 'changes';
export const MESSAGE_NAMESPACES = [POLICY_NAMESPACE, CONNECTOR_NAMESPACE, CHANGES_NAMESPACE];
const SEQ_DIGITS = 12;
/** Number of finished deliveries kept, newest first. */
export const ENDED_MAX = 1_000;
/** Maximum number of waiting messages of one channel; above it the oldest is given up. */
export const WAITING_MAX = 1_000;

export interface OutboxOptions {
  readonly documents: Documents;
  readonly config: NotificationConfig;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
}

interface Stored {
  readonly namespace: string;
  readonly delivery: Delivery;
}

/** Messages to store with the change that they report; `keep` is called once they are durable. */
interface Added {
  readonly documents: readonly { readonly id: string; readonly value: unknown }[];
  readonly keep: () => void;
}

export class Outbox implements EvaluationListener, RunListener {
  readonly #options: OutboxOptions;
  /** The stored messages by sequence number, ascending. */
  #all = new Map<number, Stored>();
  #seq = 0;
  #onAdded: (channel: string) => void = () => undefined;

  static async open(options: OutboxOptions): Promise<Outbox> {
    const outbox = new Outbox(options);
    await outbox.#read();
    const readAgain = async (): Promise<void> => {
      await outbox.#read();
      for (const channel of options.config.channels.keys()) outbox.#onAdded(channel);
    };
    for (const namespace of MESSAGE_NAMESPACES)
      options.documents.onForeign(namespace, MESSAGE_PREFIX, readAgain);
    return outbox;
  }

  private constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Calls `listener` with the channel of each new message. */
  onAdded(listener: (channel: string) => void): void {
    this.#onAdded = listener;
  }

  evaluated(news: EvaluationNews, namespace: string): Added {
    const { subscriptions } = this.#options.config;
    const origin = { id: news.evaluation_id, at: news.started_at };
    return this.added(messagesOf(origin, noticesOfEvaluation(news), subscriptions), namespace);
  }

  runEnded(record: RunRecord, namespace: string): Added {
    const { subscriptions } = this.#options.config;
    const origin = { id: record.run_id, at: record.ended_at ?? record.started_at };
    return this.added(messagesOf(origin, noticesOfRun(record), subscriptions), namespace);
  }

  /** Newest first. */
  list(): readonly Delivery[] {
    return Array.from(this.#all.values(), ({ delivery }) => delivery).reverse();
  }

  /** The oldest waiting message of a channel. */
  first(channel: string): Delivery | undefined {
    for (const { delivery } of this.#all.values()) {
      if (delivery.channel === channel && delivery.state === 'pending') return delivery;
    }
    return undefined;
  }

  waitingFor(channel: string): number {
    let count = 0;
    for (const { delivery } of this.#all.values()) {
      if (delivery.channel === channel && delivery.state === 'pending') count += 1;
    }
    return count;
  }

  /** Marks a delivery as delivered, or as given up with the reason. */
  end(delivery: Delivery, error: string | null): Promise<void> {
    const state = error === null ? 'delivered' : 'given_up';
    const endedAt = new Date(this.#options.clock.nowMs()).toISOString();
    return this.note({ ...delivery, state, error, next_at: null, ended_at: endedAt });
  }

  /** Records the result of an attempt. If it cannot be stored, the message is sent again after a restart. */
  async note(delivery: Delivery): Promise<void> {
    const stored = this.#all.get(delivery.seq);
    if (stored === undefined) return;
    const { namespace } = stored;
    this.#all.set(delivery.seq, { namespace, delivery });
    await this.#kept(() =>
      this.#options.documents.exclusively(async () => {
        const known = this.#all.get(delivery.seq)?.delivery;
        // Another process delivers since, and knows how this delivery ended.
        if (known !== delivery && known?.state !== 'pending') return;
        this.#all.set(delivery.seq, { namespace, delivery });
        await this.#change(namespace, { id: idOf(delivery), value: delivery });
      }),
    );
    await this.#drop();
  }

  /** Gives up the messages of channels that are no longer configured. */
  async dropUnknown(): Promise<void> {
    const { channels } = this.#options.config;
    for (const { delivery } of [...this.#all.values()]) {
      if (delivery.state !== 'pending' || channels.has(delivery.channel)) continue;
      await this.end(delivery, 'the channel is configured no more');
    }
  }

  async #read(): Promise<void> {
    const { documents } = this.#options;
    const found: Stored[] = [];
    for (const namespace of MESSAGE_NAMESPACES) {
      for await (const { value } of documents.all(namespace, MESSAGE_PREFIX)) {
        found.push({ namespace, delivery: value as Delivery });
      }
    }
    found.sort((a, b) => a.delivery.seq - b.delivery.seq);
    this.#all = new Map(found.map((stored) => [stored.delivery.seq, stored]));
    // Numbers of messages that are being stored are taken, too.
    this.#seq = Math.max(this.#seq, found.at(-1)?.delivery.seq ?? 0);
  }

  /** Messages to be stored with what they report, in exclusive work, which ends with `keep`. */
  added(addressed: readonly Addressed[], namespace: string): Added {
    const at = new Date(this.#options.clock.nowMs()).toISOString();
    const { documents } = this.#options;
    const deliveries = addressed.flatMap(({ channel, message }): readonly Delivery[] => {
      this.#seq += 1;
      const waiting = { state: 'pending', attempts: 0, next_at: at, ended_at: null, error: null } as const;
      const delivery: Delivery = { seq: this.#seq, channel, message, ...waiting };
      const kept = documents.withoutForgotten(namespace, idOf(delivery), delivery) as Delivery | undefined;
      return kept === undefined ? [] : [kept];
    });
    return {
      documents: deliveries.map((delivery) => ({ id: idOf(delivery), value: delivery })),
      keep: () => {
        for (const delivery of deliveries) {
          this.#all.set(delivery.seq, { namespace, delivery });
          this.#onAdded(delivery.channel);
        }
        void this.#giveUpBeyondBound(deliveries);
      },
    };
  }

  async #giveUpBeyondBound(deliveries: readonly Delivery[]): Promise<void> {
    for (const { channel } of deliveries) {
      const oldest = this.waitingFor(channel) > WAITING_MAX ? this.first(channel) : undefined;
      if (oldest !== undefined) await this.end(oldest, 'too many wait for the channel');
    }
  }

  /** The oldest finished deliveries. */
  async #drop(): Promise<void> {
    const ended = [...this.#all.values()].filter(({ delivery: { state } }) => state !== 'pending');
    for (const { namespace, delivery } of ended.slice(0, Math.max(0, ended.length - ENDED_MAX))) {
      this.#all.delete(delivery.seq);
      await this.#kept(() => this.#change(namespace, { id: idOf(delivery), value: undefined }));
    }
  }

  #change(namespace: string, change: Added['documents'][number]): Promise<void> {
    return this.#options.documents.change(namespace, [change], { isBookkeeping: true });
  }

  async #kept(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#options.log.error({ event: 'notification.not_stored', err: error }, 'delivery not stored');
    }
  }
}

function idOf({ seq }: Delivery): string {
  return MESSAGE_PREFIX + String(seq).padStart(SEQ_DIGITS, '0');
}
