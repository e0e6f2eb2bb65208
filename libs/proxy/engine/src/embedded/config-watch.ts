import type { CallOff, Timers } from '../cluster/target/cluster-context.ts';

export interface ConfigWatchParts {
  readonly timers: Timers;
  /** Interval; 0: never. */
  readonly everyMs: number;
  /** The fingerprint of the current files. */
  readonly look: () => Promise<string>;
  /** The fingerprint of the active configuration. */
  readonly known: () => string | undefined;
  readonly onChange: () => Promise<void>;
}

/**
 * Polls files for changes. It compares contents instead of times or events, so that it detects what editors,
 * mounts and links do; and it reports a change when two readings in a row are equal, so that a half-written
 * file is ignored. A rejected change is not reported again.
 */
export class ConfigWatch {
  readonly #parts: ConfigWatchParts;
  #seen: string | undefined;
  #offered: string | undefined;
  #callOff: CallOff | undefined;
  #isStopped = false;

  constructor(parts: ConfigWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#plan();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff?.();
  }

  #plan(): void {
    const { timers, everyMs } = this.#parts;
    if (this.#isStopped || everyMs === 0) return;
    this.#callOff = timers.after(everyMs, () => void this.#compare());
  }

  async #compare(): Promise<void> {
    const { look, known, onChange } = this.#parts;
    const found = await look();
    const isNews = found === this.#seen && found !== known() && found !== this.#offered;
    this.#seen = found;
    if (isNews && !this.#isStopped) {
      this.#offered = found;
      await onChange();
    }
    this.#plan();
  }
}
