import { FEED_FLAGS } from '#load/telemetry';

/** The classification of a message by its sequence number. */
export interface SequenceVerdict {
  /** Bits of `FEED_FLAGS`. */
  readonly flags: number;
  /** The number of missing sequence numbers directly before it. */
  readonly missing: number;
}

/**
 * Follows the feed's sequence numbers, which increase by one, for a whole run. A repeated number with equal
 * content is a duplicate; with other content it is a reorganisation, and the count continues from it. A lower
 * number that was missing is late: it is accepted, and does not change the position.
 */
export class SequenceTracker {
  /** A feed has a few messages a second: those of a whole run need a few megabytes. */
  readonly #fingerprints = new Map<number, number>();
  #first: number | undefined;
  #last: number | undefined;

  /** The first number received; undefined before the first message. */
  get first(): number | undefined {
    return this.#first;
  }

  /** Undefined before the first message. */
  get last(): number | undefined {
    return this.#last;
  }

  observe(number: number, fingerprint: number): SequenceVerdict {
    const last = this.#last;
    this.#first ??= number;
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
