/** One document to put, or, with `value` undefined, to remove. */
export interface DocumentChange {
  readonly id: string;
  /** Anything `JSON.stringify` takes. */
  readonly value: unknown;
}

/** JSON documents of other owners (policies, say), by namespace and id, in the same store. */
export class Documents {
  /** All changes in one atomic batch; resolves when durable. */
  change(_namespace: string, _changes: readonly DocumentChange[]): Promise<void> {
    throw new Error('not yet');
  }

  /** `undefined` when there is none. */
  get(_namespace: string, _id: string): unknown {
    throw new Error('not yet');
  }

  /** In id order, bytewise; `idPrefix` narrows. */
  *all(_namespace: string, _idPrefix?: string): IterableIterator<{ id: string; value: unknown }> {
    throw new Error('not yet');
  }
}
