import type { DomainError } from '#platform/foundation';
import { Memtable } from '../memtable/memtable.ts';
import { FROZEN_GENERATIONS_MAX } from '../store/limits.ts';

/** The unit of a flush: some log files, and their records in memory. */
export class LogGeneration {
  readonly memtable = new Memtable();
  /** The numbers of its log files, ascending. */
  readonly walNumbers: number[] = [];
  /** Bytes of its log files, including frames being written. */
  walBytes = 0;
  /** True once its files receive no more writes. */
  isComplete = false;
}

/**
 * The generations of the log. One is active and accepts batches; earlier ones are frozen, and are removed
 * once they are flushed.
 */
export class LogGenerations {
  #active: LogGeneration;
  #frozen: readonly LogGeneration[];
  #next: PromiseWithResolvers<void> = Promise.withResolvers();
  /** The failure that has stopped flushes. */
  #stopped: DomainError | undefined;
  #onComplete: () => void = () => undefined;

  constructor(frozen: readonly LogGeneration[], active: LogGeneration) {
    this.#frozen = frozen;
    this.#active = active;
  }

  /** The generation that accepts batches; its memtable is read first. */
  get active(): LogGeneration {
    return this.#active;
  }

  /** Oldest first. */
  get all(): readonly LogGeneration[] {
    return [...this.#frozen, this.#active];
  }

  /** The generations ready to be flushed, oldest first. */
  get complete(): readonly LogGeneration[] {
    return this.#frozen.filter((generation) => generation.isComplete);
  }

  /** Sets the listener that is called whenever a generation is complete. */
  onComplete(listener: () => void): void {
    this.#onComplete = listener;
  }

  /** Freezes the active generation; returns the new active one. */
  freeze(): LogGeneration {
    this.#frozen = [...this.#frozen, this.#active];
    this.#active = new LogGeneration();
    return this.#active;
  }

  /** Marks a frozen generation as complete: its files receive no more writes. */
  completed(generation: LogGeneration): void {
    generation.isComplete = true;
    this.#onComplete();
  }

  /** Drops the oldest generations, which are in a segment. */
  dropOldest(count: number): void {
    this.#frozen = this.#frozen.slice(count);
  }

  /** Notifies waiters that a flush is over. */
  flushed(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Ends flushing: waiters are rejected. */
  stop(failure: DomainError): void {
    this.#stopped ??= failure;
    this.flushed();
  }

  /** Resolves when the next flush is over; rejects once flushes have stopped. */
  async nextFlush(): Promise<void> {
    this.#refuseStopped();
    await this.#next.promise;
    this.#refuseStopped();
  }

  /** Resolves once few enough generations wait for a flush: slows writers down instead of filling memory. */
  async room(): Promise<void> {
    while (this.#frozen.length > FROZEN_GENERATIONS_MAX) await this.nextFlush();
  }

  #refuseStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }
}
