import type { ServerResponse } from 'node:http';
import { DomainError } from '#platform/foundation';
import { EventStream } from '#platform/http';
import type { ProxySource } from '#proxy/engine';
import { COMMON_HEADERS } from '../answer/answer.ts';
import { detailText } from '../answer/snapshot-answers.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

export interface ReaderWishes {
  /** Id of the last event that the reader received. */
  readonly lastEventId: string | undefined;
  /** Whether the stored events are sent first. */
  readonly history: boolean;
  /** Whether the whole state of the proxy is also sent once a second. */
  readonly snapshots: boolean;
}

/** Keeps connections of the admin server free for scrapes and probes. */
const READERS_MAX = 32;
const TICK_MS = 1_000;
const TICKS_BETWEEN_COMMENTS = 10;

/** All current readers of events. They share one snapshot per second; without readers nothing runs. */
export class EventHub {
  readonly #source: ProxySource;
  readonly #log: EventLog;
  readonly #readers = new Map<EventStream, ReaderWishes>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;

  constructor(source: ProxySource, log: EventLog) {
    this.#source = source;
    this.#log = log;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** Throws TOO_BUSY at the maximum number of readers. */
  checkRoom(): void {
    if (this.#readers.size < READERS_MAX) return;
    throw new DomainError('TOO_BUSY', `expected at most ${READERS_MAX} readers of events`);
  }

  /** Responds with a stream, until the reader or the hub ends it. */
  async add(response: ServerResponse, wishes: ReaderWishes): Promise<void> {
    if (response.destroyed) return;
    const stream = new EventStream(response, COMMON_HEADERS);
    for (const event of this.#missedBy(wishes)) {
      stream.send({ event: event.type, data: event.data, id: event.id });
    }
    const stopListening = this.#log.listen(({ type, data, id }) => stream.send({ event: type, data, id }));
    this.#readers.set(stream, wishes);
    response.once('close', () => {
      stopListening();
      this.#remove(stream);
    });
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS);
    if (wishes.snapshots) stream.send(await this.#snapshotMessage());
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of this.#readers.keys()) stream.end();
  }

  #missedBy({ lastEventId, history }: ReaderWishes): readonly LoggedEvent[] {
    if (lastEventId !== undefined) return this.#log.since(lastEventId);
    return history ? this.#log.all : [];
  }

  async #tick(): Promise<void> {
    this.#ticks += 1;
    const readers = [...this.#readers];
    if (this.#ticks % TICKS_BETWEEN_COMMENTS === 0) for (const [stream] of readers) stream.keepAlive();
    const watchers = readers.filter(([, { snapshots }]) => snapshots);
    if (watchers.length === 0) return;
    const message = await this.#snapshotMessage();
    for (const [stream] of watchers) stream.send(message);
  }

  async #snapshotMessage(): Promise<{ event: string; data: string }> {
    return { event: 'snapshot', data: detailText(await this.#source.snapshot()) };
  }

  #remove(stream: EventStream): void {
    this.#readers.delete(stream);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
