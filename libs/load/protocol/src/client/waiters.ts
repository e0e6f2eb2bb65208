/** Promises that resolve when something has become true. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  /** Resolves at once when it is true already. */
  until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isTrue()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  /** Something may have changed. */
  look(): void {
    for (const look of [...this.#waiting]) look();
  }
}
