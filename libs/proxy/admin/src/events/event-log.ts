import type { ProxyEvent, ProxySource } from '#proxy/engine';
import { eventText } from '../answer/detail.ts';

/** An event as it is sent. */
export interface LoggedEvent {
  /** Of this process and no other, rising. */
  readonly id: string;
  readonly type: ProxyEvent['type'];
  /** JSON. */
  readonly data: string;
}

const KEPT_MAX = 256;

/** The latest events, and those who want the next ones. */
export class EventLog {
  readonly #epoch: string;
  readonly #kept: LoggedEvent[] = [];
  readonly #listeners = new Set<(event: LoggedEvent) => void>();
  #count = 0;

  /** `epoch` tells this process from those before and after it. */
  constructor(source: ProxySource, epoch: string) {
    this.#epoch = epoch;
    source.onEvent((event) => this.#take(event));
  }

  /** As far as they are kept. */
  get all(): readonly LoggedEvent[] {
    return [...this.#kept];
  }

  /** Events after the one with this id, as far as they are kept; of an unknown id all that are kept. */
  since(id: string): readonly LoggedEvent[] {
    const index = this.#kept.findIndex((event) => event.id === id);
    return this.#kept.slice(index + 1);
  }

  /** Gives the way to unsubscribe. */
  listen(listener: (event: LoggedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #take(event: ProxyEvent): void {
    const id = `${this.#epoch}-${++this.#count}`;
    const logged = { id, type: event.type, data: eventText(event) };
    this.#kept.push(logged);
    if (this.#kept.length > KEPT_MAX) this.#kept.shift();
    for (const listener of this.#listeners) listener(logged);
  }
}
