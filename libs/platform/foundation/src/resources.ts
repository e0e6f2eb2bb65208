/**
 * What has been opened so far, to be closed in the opposite order: when the application ends, or when the
 * next part of it cannot be opened.
 */
export class Resources {
  readonly #closers: (() => unknown)[] = [];

  /** Runs what opens things; closes those that are open when it fails. */
  async closingOnFailure<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Opens something that is to be closed with the others. */
  async open<T>(open: () => T | Promise<T>, close: (opened: Awaited<T>) => unknown): Promise<Awaited<T>> {
    const opened = await open();
    this.add(() => close(opened));
    return opened;
  }

  /** Takes part in the closing. */
  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes all that is open, whatever fails on the way; then throws what has failed. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, 'several parts could not be closed');
    if (errors.length === 1) throw errors[0];
  }

  /** Nest's hook after the last request. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
