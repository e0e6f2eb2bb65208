import type { ClockProbeWire } from '../proto/hive-messages.ts';

/**
 * How far another machine's clock is from ours, as NTP reckons it: asked at t0, received there at t1,
 * answered there at t2, back here at t3. The offset is ((t1 − t0) + (t2 − t3)) / 2, and wrong by half the
 * time on the way at most. Of the latest probes the fastest is believed.
 */
const PROBES_KEPT = 8;

/** Microseconds since 1970, by two clocks in turn. */
export interface ClockExchange {
  readonly t0Us: number;
  readonly t1Us: number;
  readonly t2Us: number;
  readonly t3Us: number;
}

export interface ClockOffset {
  /** The other clock less ours. */
  readonly offsetUs: number;
  readonly errorUs: number;
}

export class ClockEstimate {
  readonly #probes: ClockOffset[] = [];

  /** What runs backwards, as when a clock was set meanwhile, is left out. */
  add({ t0Us, t1Us, t2Us, t3Us }: ClockExchange): void {
    const wayUs = t3Us - t0Us - (t2Us - t1Us);
    if (!(wayUs >= 0 && t2Us >= t1Us)) return;
    this.#probes.push({ offsetUs: (t1Us - t0Us + (t2Us - t3Us)) / 2, errorUs: wayUs / 2 });
    if (this.#probes.length > PROBES_KEPT) this.#probes.shift();
  }

  /** Undefined before the first probe. */
  get best(): ClockOffset | undefined {
    return this.#probes.reduce<ClockOffset | undefined>(
      (best, probe) => (best === undefined || probe.errorUs < best.errorUs ? probe : best),
      undefined,
    );
  }
}

const US_PER_MS = 1_000;
const IDS_MAX = 2 ** 32;
/** Questions whose answers may still come; what is older says little of the clock as it is now. */
const OPEN_MAX = 16;

/** Microseconds since 1970, with the fraction of a millisecond that `Date.now` lacks. */
export function systemNowUs(): number {
  return Math.round((performance.timeOrigin + performance.now()) * US_PER_MS);
}

/** Asks the other side for its time, and estimates its clock from the answers. */
export class ClockProbing {
  readonly #estimate = new ClockEstimate();
  readonly #nowUs: () => number;
  /** When each open question was asked, by its id, oldest first. */
  readonly #askedAtUs = new Map<number, number>();
  #lastId = 0;

  constructor(nowUs: () => number = systemNowUs) {
    this.#nowUs = nowUs;
  }

  /** A question. On a slow link, several may be open: each answer is held against its own. */
  ask(): ClockProbeWire {
    this.#lastId = (this.#lastId + 1) % IDS_MAX;
    const t0Us = this.#nowUs();
    this.#askedAtUs.set(this.#lastId, t0Us);
    const [oldest] = this.#askedAtUs.keys();
    if (this.#askedAtUs.size > OPEN_MAX && oldest !== undefined) this.#askedAtUs.delete(oldest);
    return { id: this.#lastId, t0Us, t1Us: 0, t2Us: 0 };
  }

  /** The estimate after an answer; undefined when it tells nothing. */
  accept({ id, t1Us, t2Us }: ClockProbeWire): ClockOffset | undefined {
    const t0Us = this.#askedAtUs.get(id);
    if (t0Us === undefined) return undefined;
    this.#askedAtUs.delete(id);
    this.#estimate.add({ t0Us, t1Us, t2Us, t3Us: this.#nowUs() });
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
