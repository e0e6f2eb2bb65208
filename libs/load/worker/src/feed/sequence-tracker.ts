import { FEED_FLAGS } from '#load/telemetry';

/** What a message is in the order of all of them. */
export interface SequenceVerdict {
  /** Bits of `FEED_FLAGS`. */
  readonly flags: number;
  /** Numbers that were left out right before it. */
  readonly missing: number;
}

/**
 * Follows the feed's numbers, which rise by one, for a whole run. A number that comes again is a duplicate
 * when its content is what it was, and a reorganisation when not: from there on the feed counts anew. A
 * lower number that never came is late: it is read like any other, and leaves the count where it is.
 */
export class SequenceTracker {
  /** A feed has some messages a second: all of a run's take a few megabytes. */
  readonly #fingerprints = new Map<number, number>();
  #last: number | undefined;

  /** Undefined before the first message. */
  get last(): number | undefined {
    return this.#last;
  }

  observe(number: number, fingerprint: number): SequenceVerdict {
    const last = this.#last;
    if (last !== undefined && number <= last) return this.#observeLower(number, fingerprint);
    const missing = last === undefined ? 0 : number - last - 1;
    this.#fingerprints.set(number, fingerprint);
    this.#last = number;
    return { flags: missing > 0 ? FEED_FLAGS.afterGap : 0, missing };
  }

  #observeLower(number: number, fingerprint: number): SequenceVerdict {
    const known = this.#fingerprints.get(number);
    if (known === fingerprint) return { flags: FEED_FLAGS.duplicate, missing: 0 };
    this.#fingerprints.set(number, fingerprint);
    if (known === undefined) return { flags: FEED_FLAGS.late, missing: 0 };
    this.#last = number;
    return { flags: FEED_FLAGS.reorganisation, missing: 0 };
  }
}
