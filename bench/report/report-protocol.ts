/** The calls of the process that makes reports. */
export type ReportProtocol = {
  /** Makes the report of the run in this directory, without the cached one. Returns milliseconds. */
  readonly build: readonly [request: { readonly directory: string }, reply: ReportTime];
};

export interface ReportTime {
  readonly ms: number;
  /** The processor time of all its threads. */
  readonly cpuMs: number;
  /** The number of included transactions in the report. */
  readonly included: number;
  /** Peak memory of the process, in 10^6 bytes. */
  readonly peakMb: number;
}
