import { DomainError } from './errors.ts';

/**
 * Opened resources, closed in reverse order when the application ends, or when opening one fails. Several may
 * open at a time: closing waits for those, and opens no further ones.
 */
export class Resources {
  readonly #closers: (() => unknown)[] = [];
  readonly #opening = new Set<Promise<unknown>>();
  #isClosing = false;
  #isStarted = false;

  /** Whether the start of the application has succeeded: a resource may leave nothing behind otherwise. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Reports the success of the start. */
  started(): void {
    this.#isStarted = true;
  }

  /** Runs `open`; closes everything opened so far when it fails. */
  async closingOnFailure<T>(open: () => Promise<T>): Promise<T> {
    try {
      return await open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Opens a resource and registers its close function. Throws STORE_UNAVAILABLE once it closes. */
  async open<T>(open: () => T | Promise<T>, close: (opened: Awaited<T>) => unknown): Promise<Awaited<T>> {
    if (this.#isClosing) throw new DomainError('STORE_UNAVAILABLE', 'the program is ending');
    const opening = this.#opened(open, close);
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  async #opened<T>(open: () => T | Promise<T>, close: (opened: Awaited<T>) => unknown): Promise<Awaited<T>> {
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
    this.#isClosing = true;
    await Promise.allSettled(this.#opening);
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
