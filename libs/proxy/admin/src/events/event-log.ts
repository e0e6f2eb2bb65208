import type { ProxyEvent, ProxySource } from '#proxy/engine';
import { eventText } from '../answer/snapshot-answers.ts';

/** An event in its sent form. */
export interface LoggedEvent {
  /** Increasing, and unique to this process. */
  readonly id: string;
  readonly type: ProxyEvent['type'];
  /** JSON. */
  readonly data: string;
}

const KEPT_MAX = 256;

/** The latest events, and the listeners for new ones. */
export class EventLog {
  readonly #epoch: string;
  readonly #kept: LoggedEvent[] = [];
  readonly #listeners = new Set<(event: LoggedEvent) => void>();
  #count = 0;

  /** `epoch` distinguishes this process from earlier and later ones. */
  constructor(source: ProxySource, epoch: string) {
    this.#epoch = epoch;
    source.onEvent((event) => this.#take(event));
  }

  /** The stored events. */
  get all(): readonly LoggedEvent[] {
    return [...this.#kept];
  }

  /** The stored events after the one with this id; all stored events for an unknown id. */
  since(id: string): readonly LoggedEvent[] {
    const index = this.#kept.findIndex((event) => event.id === id);
    return this.#kept.slice(index + 1);
  }

  /** Returns a function that unsubscribes. */
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
