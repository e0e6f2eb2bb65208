/** The calls of the process with the fake edges. */
export type EdgesProtocol = {
  /** Connects this many edges; returns the time until the hive has accepted all, in ms. */
  readonly open: readonly [request: { readonly address: string; readonly count: number }, reply: number];
  /** Waits until all have received the start. */
  readonly started: readonly [request: undefined, reply: StartSpread];
  /** Each reports its progress and pushes a batch once a second, for this long. */
  readonly keepUp: readonly [request: { readonly seconds: number }, reply: undefined];
  /** Resolves when the hive has answered all batches. */
  readonly counts: readonly [request: undefined, reply: EdgesCount];
};

export interface StartSpread {
  /** Time from the first edge that received it to the last. */
  readonly fanOutMs: number;
  /** The least time of an edge before its first transaction; negative when it was late. */
  readonly aheadMs: number;
}

export interface EdgesCount {
  readonly pushed: number;
  readonly acked: number;
  readonly refused: number;
  readonly disconnections: number;
  readonly peakMb: number;
}
