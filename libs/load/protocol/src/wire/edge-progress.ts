/** The phases of a run on an edge, in this order; `failed` can follow each other phase. */
export const EDGE_PHASES = [
  'prepared',
  'presigning',
  'ready',
  'running',
  'draining',
  'settling',
  'done',
  'failed',
] as const;

export type EdgePhase = (typeof EDGE_PHASES)[number];

/** An edge's progress report for a run, sent at least once a second. */
export interface EdgeProgress {
  readonly runId: string;
  readonly phase: EdgePhase;
  /** The reason of `failed`; else empty. */
  readonly reason: string;
  readonly tally: Tally;
  /** The tally of the stages that are not excluded. */
  readonly measured: Tally;
  /** HDR histograms by name since the start of the measured part: compressed V2, microseconds. */
  readonly histograms: Readonly<Record<string, Uint8Array>>;
  /** The changes of the rate that the edge has applied; none by default. */
  readonly rates?: readonly RateApplied[];
}

/** From when on a change of the rate holds on an edge, in ms since the start of the load. */
export interface RateApplied {
  readonly number: number;
  readonly atMs: number;
}

/**
 * Counts of transactions and messages of one edge or a run. Invariants: planned = sent + notSent, and
 * sent = included + rejected + unknown + inFlight. At the end inFlight is 0.
 */
export type Tally = Readonly<typeof ZERO_TALLY>;

export const ZERO_TALLY = {
  planned: 0,
  sent: 0,
  notSent: 0,
  acked: 0,
  included: 0,
  rejected: 0,
  unknown: 0,
  inFlight: 0,
  /** Rejected, unknown and reverted transactions for which this was not expected. */
  failedUnexpected: 0,
  feedMessages: 0,
  correlationMisses: 0,
  eventsDropped: 0,
  /** Sequence numbers missing from the feed. */
  feedGaps: 0,
  /** Messages repeated unchanged without a request. */
  feedDuplicates: 0,
  /** Sequence numbers repeated with a different message. */
  feedReorganisations: 0,
  /** Lost connections to the feed. */
  feedDisconnects: 0,
  rejectedUnexpected: 0,
  /** Included with an unexpectedly failed execution. */
  reverted: 0,
  /** Included although the answer was an unexpected error. */
  includedAfterError: 0,
  /** Accepted by the target although the mix expects a failure. */
  expectUnmet: 0,
  /** Accepted, in no block by the end, and unknown to the target. */
  ackedLost: 0,
  /** Accepted, and neither found by the end nor determined to be lost. */
  ackedUndecided: 0,
  /** Feed frames that could not be read. */
  feedGarbage: 0,
  /** Neither answered in time nor found, while the edge had no processor for most of what it did. */
  edgeStarved: 0,
};
