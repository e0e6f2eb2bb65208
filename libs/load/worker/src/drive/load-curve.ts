/**
 * The rate over time as linear pieces, and the step from one planned transaction to the next: a piece from
 * rate a to rate b over d seconds contains (a + b) / 2 · d transactions, and the time of the n-th solves a·t
 * + (b − a)/(2d)·t² = n. Times are milliseconds since the start of the load, rates are transactions per
 * second. The rate can be changed while the curve is followed.
 */
import type { LoadStage } from '../plan/edge-plan.ts';

/** A time in the load, and its stage. */
export interface LoadPoint {
  readonly atMs: number;
  readonly stage: number;
}

/** A rate from a time on, in transactions per second. */
export interface RateChange {
  readonly atMs: number;
  readonly rate: number;
}

interface Piece {
  readonly stage: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly fromRate: number;
  readonly toRate: number;
}

export class LoadCurve {
  #pieces: readonly Piece[];
  readonly durationMs: number;

  constructor(stages: readonly LoadStage[]) {
    let fromMs = 0;
    this.#pieces = stages.map(({ durationMs, startRate, endRate }, stage) => {
      const piece = { stage, fromMs, toMs: fromMs + durationMs, fromRate: startRate, toRate: endRate };
      fromMs += durationMs;
      return piece;
    });
    this.durationMs = fromMs;
  }

  /** Sets the rate from `atMs` on, to the end; the times of the stages stay. */
  change({ atMs, rate }: RateChange): void {
    this.#pieces = this.#pieces.flatMap((piece) => {
      if (piece.toMs <= atMs) return [piece];
      const changed = { ...piece, fromMs: Math.max(piece.fromMs, atMs), fromRate: rate, toRate: rate };
      if (piece.fromMs >= atMs) return [changed];
      return [{ ...piece, toMs: atMs, toRate: this.#restOf(piece, atMs).fromRate }, changed];
    });
  }

  /** The time `share` transactions after `atMs`; undefined beyond the end of the load. */
  after(atMs: number, share: number): LoadPoint | undefined {
    let missing = share;
    for (const piece of this.#pieces) {
      if (piece.toMs <= atMs) continue;
      const rest = this.#restOf(piece, Math.max(atMs, piece.fromMs));
      const held = sharesOf(rest);
      if (held > missing) return { atMs: rest.fromMs + timeOf(rest, missing), stage: piece.stage };
      missing -= held;
    }
    return undefined;
  }

  /** The number of transactions from `atMs` to the end. */
  left(atMs: number): number {
    const rests = this.#pieces.filter(({ toMs }) => toMs > atMs);
    return rests.reduce((sum, piece) => sum + sharesOf(this.#restOf(piece, Math.max(atMs, piece.fromMs))), 0);
  }

  /** The number of transactions of a stage. */
  areaOf(stage: number): number {
    const own = this.#pieces.filter((piece) => piece.stage === stage);
    return own.reduce((sum, piece) => sum + sharesOf(piece), 0);
  }

  /** The stage at a time; the last one after the end. */
  stageAt(atMs: number): number {
    const piece = this.#pieces.find(({ toMs }) => atMs < toMs) ?? this.#pieces.at(-1);
    return piece?.stage ?? 0;
  }

  /** The rate at a time; 0 before the start and after the end. */
  rateAt(atMs: number): number {
    const piece = this.#pieces.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
    return piece === undefined ? 0 : this.#restOf(piece, atMs).fromRate;
  }

  /** The highest rate of all stages. */
  get peakRate(): number {
    return Math.max(...this.#pieces.map(({ fromRate, toRate }) => Math.max(fromRate, toRate)));
  }

  #restOf(piece: Piece, fromMs: number): Piece {
    const gone = (fromMs - piece.fromMs) / (piece.toMs - piece.fromMs);
    return { ...piece, fromMs, fromRate: piece.fromRate + (piece.toRate - piece.fromRate) * gone };
  }
}

function sharesOf({ fromMs, toMs, fromRate, toRate }: Piece): number {
  return (((fromRate + toRate) / 2) * (toMs - fromMs)) / 1_000;
}

/** Milliseconds from the start of the piece; numerically stable for flat and for steep pieces. */
function timeOf({ fromMs, toMs, fromRate, toRate }: Piece, share: number): number {
  const slope = (toRate - fromRate) / ((toMs - fromMs) / 1_000);
  const root = Math.sqrt(Math.max(0, fromRate * fromRate + 2 * slope * share));
  const seconds = fromRate + root === 0 ? 0 : (2 * share) / (fromRate + root);
  return Math.min(seconds * 1_000, toMs - fromMs);
}
