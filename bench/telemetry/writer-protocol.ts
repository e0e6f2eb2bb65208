/** Messages between the edges on the main thread and the writer on its own thread. */

/** A batch of an edge, in the form that the writer accepts. */
export interface BatchMessage {
  readonly edge: number;
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** `directory` starts another round, whose files are written there. `end`: no more batches follow in it. */
export type ToWriter = { readonly directory: string } | BatchMessage | 'end';

/** `edge`: one of its batches is durable. `bytes`: everything is, in files of this total size. */
export type FromWriter = 'ready' | { readonly edge: number } | { readonly bytes: number };
