import type { Readable } from 'node:stream';
import type { CypherReply } from '#graph/cypher';
import type { BulkLoadReply } from '#graph/engine';
import type { ParseOptions } from '#graph/model';
import type { RecordDiffReply, RowDiffReply } from '#graph/query';
import type { QueryReply } from '../format/query-reply.ts';

/** Body of a query request, as in REST. */
export interface QueryBody {
  readonly pql: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly limit?: number;
  /** A time, a sequence number, or a Plexus-Seq. */
  readonly as_of?: string | number;
}

/** Parameters of `GET /v1/diff`. */
export interface RecordDiffQuery {
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

/** Body of `POST /v1/diff`. */
export interface RowDiffBody {
  readonly pql: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly from?: string | number;
  readonly to?: string | number;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Body of a Cypher request, as in REST. */
export interface CypherBody {
  readonly cypher: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly limit?: number;
  readonly timeout_ms?: number;
  /** A time, a sequence number, or a Plexus-Seq. */
  readonly as_of?: string | number;
}

interface Named {
  readonly name: string;
}

/** The names in the data, as GET /v1/schema has them. */
export interface NamesInData {
  readonly classes: readonly Named[];
  readonly types: readonly (Named & { readonly properties: readonly Named[] })[];
  readonly labels?: readonly Named[];
  readonly verbs: readonly Named[];
}

/** The target of a command: a running server, or an unlocked data directory. */
export interface CommandTarget {
  query(body: QueryBody, signal?: AbortSignal): Promise<QueryReply>;
  /** The whole result, one record a line, in chunks that may split lines. */
  queryLines(body: QueryBody, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  cypher(body: CypherBody, signal?: AbortSignal): Promise<CypherReply>;
  /** The whole result, one row a line. */
  cypherLines(body: CypherBody, signal?: AbortSignal): AsyncIterable<Uint8Array | string>;
  diff(query: RecordDiffQuery): Promise<RecordDiffReply>;
  diffRows(body: RowDiffBody): Promise<RowDiffReply>;
  ingest(lines: Readable, options?: ParseOptions): Promise<BulkLoadReply>;
  stats(): Promise<unknown>;
  /** The names in the data. */
  schema(): Promise<NamesInData>;
  /** Throws STORE_UNAVAILABLE if no server answers. */
  reach(): Promise<void>;
  close(): Promise<void>;
}
