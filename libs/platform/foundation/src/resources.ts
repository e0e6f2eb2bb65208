/**
 * Opened resources, closed in reverse order when the application ends, or when opening a later one fails.
 */
export class Resources {
  readonly #closers: (() => unknown)[] = [];

  /** Runs `open`; closes everything opened so far when it fails. */
  async closingOnFailure<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Opens a resource and registers its close function. */
  async open<T>(open: () => T | Promise<T>, close: (opened: Awaited<T>) => unknown): Promise<Awaited<T>> {
    const opened = await open();
    this.add(() => close(opened));
    return opened;
  }

  /** Registers a close function. */
  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes everything, whatever fails on the way; then throws the failures. */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, 'several resources could not be closed');
    if (errors.length === 1) throw errors[0];
  }

  /** Nest's hook after the last request. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
