import type { ProxyEvent } from '#proxy/engine';

/** Those who listen to a source. */
export class EventFeed {
  readonly #listeners = new Set<(event: ProxyEvent) => void>();

  /** Gives the way to unsubscribe. */
  listen(listener: (event: ProxyEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: ProxyEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
