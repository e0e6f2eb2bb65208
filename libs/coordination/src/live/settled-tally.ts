import type { Tally } from '../run/edge-progress.ts';

/** What the telemetry of an edge tells of its transactions, as far as it has come. */
export interface SeenTransactions {
  readonly sent: number;
  readonly notSent: number;
  readonly included: number;
  readonly rejected: number;
}

/**
 * The last word on an edge that did not live to say it: nothing is in flight any more. What it had handed
 * over may be later than what it had said, so that the larger count is taken; what neither tells is unknown.
 * Holds afterwards: planned = sent + not sent, sent = included + rejected + unknown.
 */
export function settledTally(tally: Tally, seen: SeenTransactions): Tally {
  const included = Math.max(tally.included, seen.included);
  const sent = Math.max(tally.sent, seen.sent, included);
  const rejected = Math.min(Math.max(tally.rejected, seen.rejected), sent - included);
  const notSent = Math.max(tally.notSent, seen.notSent);
  return {
    ...tally,
    ...{ planned: sent + notSent, sent, notSent, included, rejected },
    unknown: sent - included - rejected,
    inFlight: 0,
  };
}
