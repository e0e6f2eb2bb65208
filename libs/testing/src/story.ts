/** A log of events in order; tests wait for matching entries. */
export class Story<T> {
  readonly entries: T[] = [];
  readonly #waiting = new Set<() => void>();

  record(entry: T): void {
    this.entries.push(entry);
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves when `count` entries match, with the last of them. */
  until(fits: (entry: T) => boolean, count = 1): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.entries.filter(fits)[count - 1];
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
