import type { SharedDocuments } from '#graph/engine';

export interface QueryDocument {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** The storage of saved queries, by namespace and id. */
export interface QueryDocuments extends SharedDocuments {
  /** All or nothing; resolves when durable. */
  change(namespace: string, changes: readonly QueryDocument[]): Promise<void>;
  /** In id order. */
  all(namespace: string): AsyncIterable<QueryDocument>;
}

export interface SavedQueryLog {
  error(fields: object, message: string): void;
}
