/**
 * When to seal: at once when the delta is large beside the base, else when writes pause and it is worth the
 * work.
 */
const LARGE_DELTA_MIN = 32_768;
const LARGE_DELTA_SHARE = 2;
/** Below one version in so many rows, a pause alone is no reason to rebuild. */
const WORTH_SHARE = 64;

export class SealSchedule {
  readonly #idleMs: number;
  readonly #seal: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `idleMs` 0: never. */
  constructor(idleMs: number, seal: () => void) {
    this.#idleMs = idleMs;
    this.#seal = seal;
  }

  /** Says that the delta now has so many published versions, over a base of so many rows. */
  published(versions: number, baseRows: number): void {
    if (this.#idleMs === 0 || versions === 0) return;
    if (versions >= Math.max(LARGE_DELTA_MIN, baseRows / LARGE_DELTA_SHARE)) {
      this.stop();
      this.#seal();
    } else if (versions * WORTH_SHARE >= baseRows) {
      this.#wait();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#seal();
    }, this.#idleMs);
    this.#timer.unref();
  }
}
