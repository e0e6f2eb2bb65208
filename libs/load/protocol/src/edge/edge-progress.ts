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
 * Counts of transactions and messages of one edge, or of a run. At every time planned = sent + not_sent, and
 * sent = included + rejected + unknown + in flight; at the end nothing is in flight.
 */
export interface Tally {
  readonly planned: number;
  readonly sent: number;
  readonly notSent: number;
  readonly acked: number;
  readonly included: number;
  readonly rejected: number;
  readonly unknown: number;
  readonly inFlight: number;
  /** Unexpected: rejected, unknown and reverted. */
  readonly failedUnexpected: number;
  readonly feedMessages: number;
  readonly correlationMisses: number;
  readonly eventsDropped: number;
  /** Numbers that the feed left out. */
  readonly feedGaps: number;
  /** Messages that came again as they were, without having been asked for. */
  readonly feedDuplicates: number;
  /** Messages that came again as others. */
  readonly feedReorganisations: number;
  /** Connections to the feed that were lost. */
  readonly feedDisconnects: number;
  readonly rejectedUnexpected: number;
  /** Included, and the execution failed, which was not expected. */
  readonly reverted: number;
  /** Answered with an unexpected error, and included all the same. */
  readonly includedAfterError: number;
  /** Accepted by the target, though the mix expects a failure. */
  readonly expectUnmet: number;
  /** Acknowledged, and in no block by the end. */
  readonly ackedLost: number;
}

export const ZERO_TALLY: Tally = {
  planned: 0,
  sent: 0,
  notSent: 0,
  acked: 0,
  included: 0,
  rejected: 0,
  unknown: 0,
  inFlight: 0,
  failedUnexpected: 0,
  feedMessages: 0,
  correlationMisses: 0,
  eventsDropped: 0,
  feedGaps: 0,
  feedDuplicates: 0,
  feedReorganisations: 0,
  feedDisconnects: 0,
  rejectedUnexpected: 0,
  reverted: 0,
  includedAfterError: 0,
  expectUnmet: 0,
  ackedLost: 0,
};
