/** The calls of a process that is a node of a shared store, with its writers. */
export type WritingNodeProtocol = {
  readonly open: readonly [request: NodeSetup, reply: NodeCost];
  /** Replies with the number of acknowledged writes, and the time they took. */
  readonly write: readonly [request: { readonly writers: number; readonly ms: number }, reply: Written];
  /** Loads records, a quarter of them entities, and writes a base if one is due. */
  readonly load: readonly [request: { readonly records: number; readonly seed: number }, reply: undefined];
  readonly close: readonly [request: undefined, reply: undefined];
};

export interface NodeSetup {
  readonly name: string;
  readonly url: string;
  readonly schema: string;
  /** Of its copy. */
  readonly directory: string;
}

/** What a node that has opened a store takes. */
export interface NodeCost {
  /** Until it can answer. */
  readonly startMs: number;
  /** The memory of its process after a collection, in 10^6 bytes. */
  readonly memoryMb: number;
}

export interface Written {
  readonly writes: number;
  readonly ms: number;
  /** Processor time of the process, of all its threads. */
  readonly cpuMs: number;
}
