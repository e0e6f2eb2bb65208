/** Between the edges on the main thread and the writer on its own. */

/** A batch of an edge, in the form that the writer at the other end takes. */
export interface BatchMessage {
  readonly edge: number;
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** A directory: another round begins, whose files go there. `end`: there are no more batches in it. */
export type ToWriter = { readonly directory: string } | BatchMessage | 'end';

/** `edge`: a batch of it is durable. `bytes`: everything is, in files of so many bytes together. */
export type FromWriter = 'ready' | { readonly edge: number } | { readonly bytes: number };
