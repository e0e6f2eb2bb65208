/** Of documents that other processes may change. */
export interface SharedDocuments {
  /** Runs what changes documents by what is known of them, while no other process does. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Has `read` run when another process has changed documents whose ids begin so. */
  readonly onForeign: (namespace: string, prefix: string, read: () => Promise<void>) => void;
}

/** Of documents that nobody else changes. */
export const UNSHARED: SharedDocuments = { exclusively: (work) => work(), onForeign: () => undefined };
