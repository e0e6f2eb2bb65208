import { Memtable } from '../memtable/memtable.ts';
import { FROZEN_GENERATIONS_MAX } from '../store/limits.ts';
import { unavailableStore } from '../store/store-error.ts';

/** What one flush makes durable in sorted form: some log files, and their records in memory. */
export class LogGeneration {
  readonly memtable = new Memtable();
  /** The numbers of its log files, ascending. */
  readonly walNumbers: number[] = [];
  /** Bytes of its log files, frames under way included. */
  walBytes = 0;
  /** Nothing is written to its files any more. */
  isComplete = false;
}

/**
 * The generations of the log. One is active and takes batches; those before it are frozen, and leave when
 * they are flushed.
 */
export class LogGenerations {
  #active: LogGeneration;
  #frozen: readonly LogGeneration[];
  #next: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Why nothing is flushed any more. */
  #stopped: string | undefined;
  #onComplete: () => void = () => undefined;

  constructor(frozen: readonly LogGeneration[], active: LogGeneration) {
    this.#frozen = frozen;
    this.#active = active;
  }

  /** Takes batches now; its memtable is read first. */
  get active(): LogGeneration {
    return this.#active;
  }

  /** Oldest first. */
  get all(): readonly LogGeneration[] {
    return [...this.#frozen, this.#active];
  }

  /** Those that can be flushed, oldest first. */
  get complete(): readonly LogGeneration[] {
    return this.#frozen.filter((generation) => generation.isComplete);
  }

  /** Whoever flushes; it is called whenever a generation is complete. */
  onComplete(listener: () => void): void {
    this.#onComplete = listener;
  }

  /** The active generation takes no more batches; gives the one that does. */
  freeze(): LogGeneration {
    this.#frozen = [...this.#frozen, this.#active];
    this.#active = new LogGeneration();
    return this.#active;
  }

  /** Nothing is written any more to the files of this one, which is frozen. */
  completed(generation: LogGeneration): void {
    generation.isComplete = true;
    this.#onComplete();
  }

  /** The oldest ones stand in a segment. */
  dropOldest(count: number): void {
    this.#frozen = this.#frozen.slice(count);
  }

  /** A flush is over, its log files are gone. */
  flushed(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Nothing is flushed any more: who waits is refused. */
  stop(reason: string): void {
    this.#stopped ??= reason;
    this.flushed();
  }

  /** Resolves when the next flush is over; rejects when there is none to come. */
  async nextFlush(): Promise<void> {
    this.#refuseStopped();
    await this.#next.promise;
    this.#refuseStopped();
  }

  /** Resolves once few enough generations wait: writers are held back rather than memory filled. */
  async room(): Promise<void> {
    while (this.#frozen.length > FROZEN_GENERATIONS_MAX) await this.nextFlush();
  }

  #refuseStopped(): void {
    if (this.#stopped !== undefined) throw unavailableStore(this.#stopped);
  }
}
