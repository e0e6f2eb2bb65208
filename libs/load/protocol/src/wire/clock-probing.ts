import type { ClockProbeWire } from '../generated/hive-messages.ts';

/**
 * Estimates the clock offset of another machine as NTP does: request sent at t0, received remotely at t1,
 * answered remotely at t2, answer received at t3. The offset is ((t1 − t0) + (t2 − t3)) / 2, with an error of
 * at most half the time on the network. Of the latest probes the fastest is used.
 */
const PROBES_KEPT = 8;

/** Microseconds since 1970: t0 and t3 by the local clock, t1 and t2 by the remote clock. */
export interface ClockExchange {
  readonly t0Us: number;
  readonly t1Us: number;
  readonly t2Us: number;
  readonly t3Us: number;
}

export interface ClockOffset {
  /** The remote clock minus the local clock. */
  readonly offsetUs: number;
  readonly errorUs: number;
}

export class ClockEstimate {
  readonly #probes: ClockOffset[] = [];

  /** Ignores an exchange that runs backwards, for example because a clock was set. */
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
/** Maximum number of open questions; answers to older ones say little about the present offset. */
const OPEN_MAX = 16;

/** Microseconds since 1970, with the fraction of a millisecond that `Date.now` lacks. */
export function systemNowUs(): number {
  return Math.round((performance.timeOrigin + performance.now()) * US_PER_MS);
}

/** Queries the time of the other side, and estimates its clock offset from the answers. */
export class ClockProbing {
  readonly #estimate = new ClockEstimate();
  readonly #nowUs: () => number;
  /** The send times of open questions by id, oldest first. */
  readonly #askedAtUs = new Map<number, number>();
  #lastId = 0;

  constructor(nowUs: () => number = systemNowUs) {
    this.#nowUs = nowUs;
  }

  /** Creates a question. On a slow link several may be open: answers are matched by id. */
  ask(): ClockProbeWire {
    this.#lastId = (this.#lastId + 1) % IDS_MAX;
    const t0Us = this.#nowUs();
    this.#askedAtUs.set(this.#lastId, t0Us);
    const [oldest] = this.#askedAtUs.keys();
    if (this.#askedAtUs.size > OPEN_MAX && oldest !== undefined) this.#askedAtUs.delete(oldest);
    return { id: this.#lastId, t0Us, t1Us: 0, t2Us: 0 };
  }

  /** The estimate after an answer; undefined for an unsolicited answer or before a usable one. */
  accept({ id, t1Us, t2Us }: ClockProbeWire): ClockOffset | undefined {
    const t0Us = this.#askedAtUs.get(id);
    if (t0Us === undefined) return undefined;
    this.#askedAtUs.delete(id);
    this.#estimate.add({ t0Us, t1Us, t2Us, t3Us: this.#nowUs() });
    return this.#estimate.best;
  }
}

/** A probe without a time of receipt is a question. */
export function isQuestion({ t1Us }: ClockProbeWire): boolean {
  return t1Us === 0;
}

export function answerProbe(probe: ClockProbeWire, nowUs: () => number = systemNowUs): ClockProbeWire {
  const receivedUs = nowUs();
  return { ...probe, t1Us: receivedUs, t2Us: nowUs() };
}
