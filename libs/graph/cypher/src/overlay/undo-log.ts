/** How to take back what was changed since a mark; without a mark nothing is kept. */
export class UndoLog {
  #undos: (() => void)[] | undefined;

  mark(): void {
    this.#undos = [];
  }

  record(undo: () => void): void {
    this.#undos?.push(undo);
  }

  /** The last change first. */
  undo(): void {
    for (const undo of this.#undos?.reverse() ?? []) undo();
    this.#undos = [];
  }
}
