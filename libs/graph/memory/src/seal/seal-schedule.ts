/**
 * Decides when to seal: when the delta is large relative to the base, or when writes pause and the delta is
 * worth the work. During writes, seals pause after each run: in a bulk load they would otherwise run all the
 * time and compete with the writers for the processor.
 */
const LARGE_DELTA_MIN = 32_768;
const LARGE_DELTA_SHARE = 2;
/** A pause of writes triggers a seal only with at least one version in this many rows. */
const WORTH_SHARE = 64;
/** Length of the pause after a seal, as a multiple of the seal's duration. */
const REST_FACTOR = 4;
/** A delta with this many versions is sealed without a pause, to bound memory. */
const RESTLESS_DELTA = 1_048_576;

export class SealSchedule {
  readonly #idleMs: number;
  readonly #seal: () => void;
  #timer: NodeJS.Timeout | undefined;
  #restsUntilMs = 0;

  /** `idleMs` 0 disables the schedule. */
  constructor(idleMs: number, seal: () => void) {
    this.#idleMs = idleMs;
    this.#seal = seal;
  }

  /** Reports the numbers of published versions in the delta and of rows in the base. */
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

  /** Reports the end of a seal and its duration. */
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
