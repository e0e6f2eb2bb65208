/** What the process that makes reports is asked. */
export type ReportProtocol = {
  /** Makes the report of the run in this directory; the cached one is gone. Gives milliseconds. */
  readonly build: readonly [request: { readonly directory: string }, reply: ReportTime];
};

export interface ReportTime {
  readonly ms: number;
  /** Of all its threads. */
  readonly cpuMs: number;
  /** Of the transactions that were included, in the report. */
  readonly included: number;
  /** The most memory that the process has held, in 10^6 bytes. */
  readonly peakMb: number;
}
