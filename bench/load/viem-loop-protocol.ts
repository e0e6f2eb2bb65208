/** The calls of the process with the viem loop. */
export type ViemLoopProtocol = {
  /** Funds this many accounts. */
  readonly open: readonly [request: { readonly url: string; readonly accounts: number }, reply: undefined];
  /** Sends for this long, until the last transaction is answered. */
  readonly run: readonly [request: { readonly seconds: number }, reply: LoopCount];
};

export interface LoopCount {
  readonly count: number;
  readonly seconds: number;
  readonly cpuMs: number;
}
