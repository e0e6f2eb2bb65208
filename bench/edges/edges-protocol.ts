/** What the process of the fake edges is asked. */
export type EdgesProtocol = {
  /** Connects so many; gives how long it took until the hive had taken all, in ms. */
  readonly open: readonly [request: { readonly address: string; readonly count: number }, reply: number];
  /** Waits until all have heard of the start. */
  readonly started: readonly [request: undefined, reply: StartSpread];
  /** Each tells of its progress and pushes a batch once a second, for so long. */
  readonly keepUp: readonly [request: { readonly seconds: number }, reply: undefined];
  /** Resolves when the hive has answered all batches. */
  readonly counts: readonly [request: undefined, reply: EdgesCount];
};

export interface StartSpread {
  /** From the first that heard of it to the last. */
  readonly fanOutMs: number;
  /** The least time that an edge was left before its first transaction; negative: it was late. */
  readonly aheadMs: number;
}

export interface EdgesCount {
  readonly pushed: number;
  readonly acked: number;
  readonly refused: number;
  readonly disconnections: number;
  readonly peakMb: number;
}
