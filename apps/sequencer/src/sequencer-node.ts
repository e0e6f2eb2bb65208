/** A sequencer that runs. */
export interface SequencerNode {
  readonly rpcPort: number;
  readonly feedPort: number;
  /** Rejects when it cannot go on. */
  readonly failure: Promise<never>;
  close(): Promise<void>;
}
