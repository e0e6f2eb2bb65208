import type { CallOff, Timers } from '../cluster/target/cluster-surroundings.ts';

export interface ConfigWatchParts {
  readonly timers: Timers;
  /** 0: never. */
  readonly everyMs: number;
  /** The fingerprint of what is there now. */
  readonly look: () => Promise<string>;
  /** The fingerprint of what holds. */
  readonly known: () => string | undefined;
  readonly onChange: () => Promise<void>;
}

/**
 * Looks at files again and again. It goes by content, not by time or by events, so that it sees what editors,
 * mounts and links do; and it tells of a change when two looks in a row have found the same, so that a file
 * that is being written is left alone. What was not taken is not offered again.
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
