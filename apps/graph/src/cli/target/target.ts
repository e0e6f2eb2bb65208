import type { Readable } from 'node:stream';
import type { BulkLoadReply } from '#graph/engine';
import type { ParseOptions } from '#graph/model';
import type { QueryReply } from '../format/query-reply.ts';

/** Body of a query request, as REST has it. */
export interface QueryBody {
  readonly pql: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly limit?: number;
}

/** What a command works on: a running server, or a data directory that no server holds. */
export interface CommandTarget {
  query(body: QueryBody): Promise<QueryReply>;
  /** The whole result, a record a line, in pieces that need not end where a line does. */
  queryLines(body: QueryBody): AsyncIterable<Uint8Array>;
  ingest(lines: Readable, options?: ParseOptions): Promise<BulkLoadReply>;
  stats(): Promise<unknown>;
  close(): Promise<void>;
}
