const TURN_MS = 5;

/** A share of the event loop's time, so that a long loop does not keep others waiting. */
export class Turn {
  #endMs = performance.now() + TURN_MS;

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** Lets others go first, then begins a new turn. Throws when the signal was aborted meanwhile. */
  async pass(signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    this.#endMs = performance.now() + TURN_MS;
  }
}
