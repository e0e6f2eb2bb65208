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
