/** A log of events in order; tests wait for the lines that they expect. */
export class Story {
  readonly lines: string[] = [];
  readonly #waiting = new Set<() => void>();

  record(line: string): void {
    this.lines.push(line);
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves with the first line from line number `from` on that contains the text. */
  has(text: string, from = 0): Promise<string> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.lines.slice(from).find((line) => line.includes(text));
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
