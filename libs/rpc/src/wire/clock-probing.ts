import { ClockEstimate, type ClockOffset } from '#coordination';
import type { ClockProbeWire } from './edge-wire.ts';

const US_PER_MS = 1_000;
const IDS_MAX = 2 ** 32;

/** Microseconds since 1970, with the fraction of a millisecond that `Date.now` lacks. */
export function systemNowUs(): number {
  return Math.round((performance.timeOrigin + performance.now()) * US_PER_MS);
}

/** Asks the other side for its time, and estimates its clock from the answers. */
export class ClockProbing {
  readonly #estimate = new ClockEstimate();
  readonly #nowUs: () => number;
  #lastId = 0;
  #askedAtUs = 0;

  constructor(nowUs: () => number = systemNowUs) {
    this.#nowUs = nowUs;
  }

  /** A question; an answer to an earlier one counts no more. */
  ask(): ClockProbeWire {
    this.#lastId = (this.#lastId + 1) % IDS_MAX;
    this.#askedAtUs = this.#nowUs();
    return { id: this.#lastId, t0Us: this.#askedAtUs, t1Us: 0, t2Us: 0 };
  }

  /** The estimate after an answer; undefined when it tells nothing. */
  take({ id, t1Us, t2Us }: ClockProbeWire): ClockOffset | undefined {
    if (id !== this.#lastId || this.#askedAtUs === 0) return undefined;
    this.#estimate.add({ t0Us: this.#askedAtUs, t1Us, t2Us, t3Us: this.#nowUs() });
    this.#askedAtUs = 0;
    return this.#estimate.best;
  }
}

/** A probe is a question as long as nobody has put a time of receipt into it. */
export function isQuestion({ t1Us }: ClockProbeWire): boolean {
  return t1Us === 0;
}

export function answerProbe(probe: ClockProbeWire, nowUs: () => number = systemNowUs): ClockProbeWire {
  const receivedUs = nowUs();
  return { ...probe, t1Us: receivedUs, t2Us: nowUs() };
}
