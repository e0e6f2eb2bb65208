/**
 * When to seal: when the delta is large beside the base, or when writes pause and it is worth the work. While
 * writes go on, seals rest: under a bulk load they would otherwise run without end, and take from the writers
 * the processor that they need themselves.
 */
const LARGE_DELTA_MIN = 32_768;
const LARGE_DELTA_SHARE = 2;
/** Below one version in so many rows, a pause alone is no reason to rebuild. */
const WORTH_SHARE = 64;
/** After a seal, writes go on for so many times as long as it took. */
const REST_FACTOR = 4;
/** A delta of so many versions waits for nothing: memory is bounded. */
const RESTLESS_DELTA = 1_048_576;

export class SealSchedule {
  readonly #idleMs: number;
  readonly #seal: () => void;
  #timer: NodeJS.Timeout | undefined;
  #restsUntilMs = 0;

  /** `idleMs` 0: never. */
  constructor(idleMs: number, seal: () => void) {
    this.#idleMs = idleMs;
    this.#seal = seal;
  }

  /** Says that the delta now has so many published versions, over a base of so many rows. */
  published(versions: number, baseRows: number): void {
    if (this.#idleMs === 0 || versions === 0) return;
    const isLarge = versions >= Math.max(LARGE_DELTA_MIN, baseRows / LARGE_DELTA_SHARE);
    if (isLarge && (versions >= RESTLESS_DELTA || performance.now() >= this.#restsUntilMs)) {
      this.stop();
      this.#seal();
    } else if (versions * WORTH_SHARE >= baseRows) {
      this.#wait();
    }
  }

  /** Says that a seal is over, and how long it took. */
  sealed(tookMs: number): void {
    this.#restsUntilMs = performance.now() + tookMs * REST_FACTOR;
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
