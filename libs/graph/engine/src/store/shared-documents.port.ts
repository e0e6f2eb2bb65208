/** Documents that other processes may change. */
export interface SharedDocuments {
  /**
   * Runs a read-modify-write of documents, again if another process has changed documents meanwhile: before
   * its last change the work must have no effect other than in documents.
   */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Calls `read` after another process has changed documents with this id prefix. */
  readonly onForeign: (namespace: string, prefix: string, read: () => Promise<void>) => void;
}

/** Documents that no other process changes. */
export const UNSHARED: SharedDocuments = { exclusively: (work) => work(), onForeign: () => undefined };
