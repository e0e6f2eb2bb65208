import type { KeptQuery, QueriesReply } from '#graph/query';

export type ImportMode = 'merge' | 'replace';

/** Where saved queries are: a server, or a data directory that no server holds. */
export interface QueryTarget {
  list(): Promise<readonly KeptQuery[]>;
  /** Throws NOT_FOUND. */
  get(name: string): Promise<KeptQuery>;
  /** Takes a file of queries, all or none. */
  import(yaml: string, mode: ImportMode): Promise<QueriesReply>;
  close(): Promise<void>;
}
