/** Between the edges on the main thread and the writer on its own. */
export interface WriterSetup {
  readonly directory: string;
  readonly compression: 'snappy' | 'zstd';
}

/** A batch of an edge: bytes in which the worker's own form has it; without them: there are no more. */
export interface BatchMessage {
  readonly edge: number;
  readonly seq: number;
  readonly bytes: Uint8Array;
}

export type ToWriter = BatchMessage | 'end';

/** `edge`: a batch of it is durable. `bytes`: everything is, in files of so many bytes together. */
export type FromWriter = 'ready' | { readonly edge: number } | { readonly bytes: number };
