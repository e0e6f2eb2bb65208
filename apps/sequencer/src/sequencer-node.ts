/** A running sequencer. */
export interface SequencerNode {
  readonly rpcPort: number;
  readonly feedPort: number;
  /** Rejects on a fatal error. */
  readonly failure: Promise<never>;
  close(): Promise<void>;
}
