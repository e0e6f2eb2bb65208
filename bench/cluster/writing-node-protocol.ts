/** The calls of a process that is a node of a shared store, with its writers. */
export type WritingNodeProtocol = {
  readonly open: readonly [request: NodeSetup, reply: undefined];
  /** Replies with the number of acknowledged writes, and the time they took. */
  readonly write: readonly [request: { readonly writers: number; readonly ms: number }, reply: Written];
  readonly close: readonly [request: undefined, reply: undefined];
};

export interface NodeSetup {
  readonly name: string;
  readonly url: string;
  readonly schema: string;
  /** Of its copy. */
  readonly directory: string;
}

export interface Written {
  readonly writes: number;
  readonly ms: number;
}
