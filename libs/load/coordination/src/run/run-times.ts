/** How long a run waits for what; tests have it shorter. Milliseconds. */
export interface RunTimes {
  /** Between two heartbeats of an edge. */
  readonly heartbeatMs: number;
  /** Between two looks at a run. */
  readonly tickMs: number;
  /** Plans wait for so long, so that edges that register together are shared out once. */
  readonly planMs: number;
  /** Refused plans are checked anew. */
  readonly recheckMs: number;
  /** From the start order to the first transaction. */
  readonly leadMs: number;
  /** An edge that is silent for so long is told of: until it is heard again the run is degraded. */
  readonly silenceMs: number;
  /** An edge that is silent for so long is lost. */
  readonly edgeLossMs: number;
  /** For what edges of a run that failed still hold. */
  readonly settleMs: number;
  /** For bringing back what a run that did not end well has left on accounts. */
  readonly reclaimMs: number;
  /** From the end of the load to the end of the last edge. */
  readonly overtimeMs: number;
}

export const RUN_TIMES: RunTimes = {
  heartbeatMs: 2_000,
  tickMs: 1_000,
  planMs: 50,
  recheckMs: 5_000,
  leadMs: 1_000,
  silenceMs: 10_000,
  edgeLossMs: 30_000,
  settleMs: 30_000,
  reclaimMs: 60_000,
  overtimeMs: 900_000,
};
