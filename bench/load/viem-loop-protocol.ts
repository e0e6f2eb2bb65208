/** What the process of the viem loop is asked. */
export type ViemLoopProtocol = {
  /** Funds so many accounts. */
  readonly open: readonly [request: { readonly url: string; readonly accounts: number }, reply: undefined];
  /** Sends for so long, until the last is answered. */
  readonly run: readonly [request: { readonly seconds: number }, reply: LoopCount];
};

export interface LoopCount {
  readonly count: number;
  readonly seconds: number;
  readonly cpuMs: number;
}
