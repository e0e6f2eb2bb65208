export interface RunDocument {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** Where runs are kept, by namespace and id. */
export interface RunDocuments {
  /** All or nothing; resolves when durable. */
  change(namespace: string, changes: readonly RunDocument[]): Promise<void>;
  /** In id order. */
  all(namespace: string, idPrefix?: string): AsyncIterable<RunDocument>;
}
