/**
 * What was opened so far, to be closed in the opposite order: when all is over, or when the next part
 * fails.
 */
export class OpenParts {
  readonly #closers: (() => unknown)[] = [];

  /** Takes part in the closing. */
  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) await close();
  }

  /** Runs what opens parts; closes those that are open when it fails. */
  static async opening<T>(open: (parts: OpenParts) => Promise<T>): Promise<T> {
    const parts = new OpenParts();
    try {
      return await open(parts);
    } catch (error) {
      await parts.close();
      throw error;
    }
  }
}
