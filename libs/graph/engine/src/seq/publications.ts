/** Wakes all waiters for the next publication of the graph, whatever their number, with one promise. */
export class Publications {
  #next: PromiseWithResolvers<void> | undefined;

  /** Resolves after the next publication; it never rejects. */
  next(): Promise<void> {
    this.#next ??= Promise.withResolvers();
    return this.#next.promise;
  }

  /** Call after each publication: without waiters it costs one comparison. */
  note(): void {
    this.#next?.resolve();
    this.#next = undefined;
  }
}
