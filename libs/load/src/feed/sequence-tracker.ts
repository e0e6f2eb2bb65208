import { FEED_FLAGS } from '#telemetry';

/** Messages that are remembered, to tell a message that comes twice from another one in its place. */
const REMEMBERED = 4_096;

/** What a message is in the order of all of them. */
export interface SequenceVerdict {
  /** Bits of `FEED_FLAGS`. */
  readonly flags: number;
  /** Numbers that were left out right before it. */
  readonly missing: number;
}

/**
 * Follows the feed's numbers, which rise by one. A number that comes again is a duplicate when its content is
 * what it was, and a reorganisation when not: from there on the feed counts anew.
 */
export class SequenceTracker {
  readonly #fingerprints = new Float64Array(REMEMBERED);
  readonly #numbers = new Float64Array(REMEMBERED).fill(-1);
  #last: number | undefined;

  /** Undefined before the first message. */
  get last(): number | undefined {
    return this.#last;
  }

  take(number: number, fingerprint: number): SequenceVerdict {
    const last = this.#last;
    if (last !== undefined && number <= last) return this.#takeAgain(number, fingerprint);
    const missing = last === undefined ? 0 : number - last - 1;
    this.#remember(number, fingerprint);
    return { flags: missing > 0 ? FEED_FLAGS.afterGap : 0, missing };
  }

  /** One older than what is remembered is taken for what it was. */
  #takeAgain(number: number, fingerprint: number): SequenceVerdict {
    const at = number % REMEMBERED;
    const isOther = this.#numbers[at] === number && this.#fingerprints[at] !== fingerprint;
    if (!isOther) return { flags: FEED_FLAGS.duplicate, missing: 0 };
    this.#remember(number, fingerprint);
    return { flags: FEED_FLAGS.reorganisation, missing: 0 };
  }

  #remember(number: number, fingerprint: number): void {
    const at = number % REMEMBERED;
    this.#numbers[at] = number;
    this.#fingerprints[at] = fingerprint;
    this.#last = number;
  }
}
