/** How far an edge is with a run, in this order; `failed` can follow each. */
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

/** What an edge says of a run, at least once a second. */
export interface EdgeProgress {
  readonly runId: string;
  readonly phase: EdgePhase;
  /** Of `failed`; else empty. */
  readonly reason: string;
  readonly tally: Tally;
  /** Of the stages that are not excluded. */
  readonly measured: Tally;
  /** HDR histograms by name since the start of the measured part: compressed V2, microseconds. */
  readonly histograms: Readonly<Record<string, Uint8Array>>;
}

/**
 * Counts of transactions and messages of one edge, or of a run. At every time planned = sent + notSent, and
 * sent = included + rejected + unknown + inFlight; at the end nothing is in flight.
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
  /** Unexpected: rejected, unknown and reverted. */
  failedUnexpected: 0,
  feedMessages: 0,
  correlationMisses: 0,
  eventsDropped: 0,
  /** Numbers that the feed left out. */
  feedGaps: 0,
  /** Messages that came again as they were, without having been asked for. */
  feedDuplicates: 0,
  /** Messages that came again as others. */
  feedReorganisations: 0,
  /** Connections to the feed that were lost. */
  feedDisconnects: 0,
  rejectedUnexpected: 0,
  /** Included, and the execution failed, which was not expected. */
  reverted: 0,
  /** Answered with an unexpected error, and included all the same. */
  includedAfterError: 0,
  /** Accepted by the target, though the mix expects a failure. */
  expectUnmet: 0,
  /** Acknowledged, and in no block by the end. */
  ackedLost: 0,
};
