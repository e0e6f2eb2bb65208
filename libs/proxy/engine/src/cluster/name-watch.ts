import { faultCodeOf } from '../source/upstream-failure.ts';
import type { CallOff, Resolve, Timers } from './target/cluster-context.ts';

const FIRST_RETRY_MS = 1_000;
const RETRY_DOUBLINGS_MAX = 10;

export interface NameWatchParts {
  readonly name: string;
  readonly timers: Timers;
  readonly resolve: Resolve;
  /** Awaited before the next resolution. */
  readonly onAddresses: (addresses: readonly string[]) => Promise<void>;
  /** The errno name. The previous addresses stay in use. */
  readonly onFault: (fault: string) => void;
}

/**
 * Resolves a name periodically. After a failure it retries sooner: after one second, then two, four, up to
 * the refresh interval.
 */
export class NameWatch {
  refreshMs: number;
  readonly #parts: NameWatchParts;
  #failures = 0;
  #isStopped = false;
  #callOff: CallOff | undefined;

  constructor(parts: NameWatchParts, refreshMs: number) {
    this.#parts = parts;
    this.refreshMs = refreshMs;
  }

  /** Resolves after the first result, good or bad. */
  async start(): Promise<void> {
    await this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff?.();
  }

  async #look(): Promise<void> {
    const found = await this.#ask();
    if (this.#isStopped) return;
    if (typeof found === 'string') {
      this.#failures += 1;
      this.#parts.onFault(found);
    } else {
      this.#failures = 0;
      await this.#parts.onAddresses(found);
    }
    this.#lookAgain();
  }

  #lookAgain(): void {
    if (this.#isStopped) return;
    this.#callOff = this.#parts.timers.after(this.#pauseMs(), () => void this.#look());
  }

  /** The addresses, or the error. */
  async #ask(): Promise<readonly string[] | string> {
    const { name, resolve } = this.#parts;
    try {
      const found = await resolve(name);
      return found.length > 0 ? found : 'ENODATA';
    } catch (error) {
      return faultCodeOf(error);
    }
  }

  #pauseMs(): number {
    if (this.#failures === 0) return this.refreshMs;
    const doublings = Math.min(this.#failures - 1, RETRY_DOUBLINGS_MAX);
    return Math.min(this.refreshMs, FIRST_RETRY_MS * 2 ** doublings);
  }
}
