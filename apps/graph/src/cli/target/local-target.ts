import type { Readable } from 'node:stream';
import { type CypherReply, CypherService, parseCypherRequest, TransactionService } from '#graph/cypher';
import {
  type AskedMoment,
  BulkLoad,
  type BulkLoadReply,
  Graph,
  momentText,
  parseMoment,
} from '#graph/engine';
import { createScheduler } from '#graph/execution';
import type { ParseOptions } from '#graph/model';
import {
  createQueryService,
  DiffService,
  PAGE_LIMIT_DEFAULT,
  parseQueryRequest,
  type QueryService,
  type RecordDiffReply,
  type RowDiffReply,
} from '#graph/query';
import { type Disk, isMissingFile, NodeDisk } from '#platform/disk';
import { DomainError, type HangUp, systemClock, VERSION } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { type GraphSettings, retentionOf } from '../../settings.ts';
import type { QueryReply } from '../format/query-reply.ts';
import { openCommandAudit } from './open-audit.ts';
import type {
  CommandTarget,
  CypherBody,
  NamesInData,
  QueryBody,
  RecordDiffQuery,
  RowDiffBody,
} from './target.ts';

/** Without a signal a command is never cancelled. */
const NEVER: HangUp = { aborted: false };

/** A data directory, opened and locked by this process. */
export class LocalTarget implements CommandTarget {
  readonly #graph: Graph;
  readonly #queries: QueryService;
  readonly #statements: CypherService;
  readonly #diffs: DiffService;

  /** Opens an existing store. */
  static async open(settings: GraphSettings, log: Log): Promise<LocalTarget> {
    return new LocalTarget(await openGraph(settings, log), settings);
  }

  static async openOrCreate(settings: GraphSettings, log: Log): Promise<LocalTarget> {
    return new LocalTarget(await openOrCreateGraph(settings, log), settings);
  }

  private constructor(graph: Graph, settings: GraphSettings) {
    this.#graph = graph;
    const scheduler = createScheduler(settings, systemClock);
    const parts = { graph, settings, scheduler, clock: systemClock };
    this.#queries = createQueryService(parts);
    this.#diffs = new DiffService(graph, this.#queries, scheduler, settings, systemClock);
    this.#statements = new CypherService(new TransactionService(parts), scheduler);
  }

  async query(body: QueryBody, signal: HangUp = NEVER): Promise<QueryReply> {
    const bytes = await this.#queries.page(parseQueryRequest(body), signal);
    return JSON.parse(bytes.toString('utf8')) as QueryReply;
  }

  async *queryLines(body: QueryBody, signal: HangUp = NEVER): AsyncIterable<Uint8Array> {
    yield* await this.#queries.stream(parseQueryRequest(body), signal);
  }

  cypher(body: CypherBody, signal: HangUp = NEVER): Promise<CypherReply> {
    return this.#statements.run(parseCypherRequest(body), signal);
  }

  async *cypherLines(body: CypherBody, signal: HangUp = NEVER): AsyncIterable<string> {
    yield* await this.#statements.lines(parseCypherRequest(body), signal);
  }

  async diff({ from, to, type, limit, cursor }: RecordDiffQuery): Promise<RecordDiffReply> {
    const span = { from: momentOf(from, 'from'), to: momentOf(to, 'to') };
    return this.#diffs.records({ ...span, type, cursor, limit: Number(limit ?? PAGE_LIMIT_DEFAULT) }, NEVER);
  }

  async diffRows({
    pql,
    params,
    from,
    to,
    limit = PAGE_LIMIT_DEFAULT,
    cursor,
  }: RowDiffBody): Promise<RowDiffReply> {
    const span = { from: momentOf(from, 'from'), to: momentOf(to, 'to') };
    return this.#diffs.rows({ pql, params, ...span, limit, cursor }, NEVER);
  }

  ingest(lines: Readable, parse: ParseOptions = {}): Promise<BulkLoadReply> {
    return new BulkLoad(this.#graph, { parse, write: {} }).run(lines);
  }

  stats(): Promise<unknown> {
    return Promise.resolve({ version: VERSION, ...this.#graph.stats() });
  }

  schema(): Promise<NamesInData> {
    return Promise.resolve(this.#graph.schema());
  }

  backup(directory: string, onBytes: (bytes: number) => void): Promise<void> {
    return this.#graph.backup(directory, onBytes);
  }

  /** The directory is open. */
  reach(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#queries.close();
    await this.#graph.close();
  }
}

function momentOf(value: string | number | undefined, field: string): AskedMoment | undefined {
  if (value === undefined) return undefined;
  return parseMoment(typeof value === 'string' ? momentText(value) : value, field);
}

/** Opens an existing store: a reading command must not create one for a mistyped path. */
export async function openGraph(settings: GraphSettings, log: Log): Promise<Graph> {
  await requireDirectory(new NodeDisk(), settings.dataDir);
  return openOrCreateGraph(settings, log);
}

/** Throws NOT_FOUND if the data directory does not exist. */
export async function requireDirectory(disk: Disk, dataDir: string): Promise<void> {
  await disk.list(dataDir).catch((cause: unknown) => {
    if (!isMissingFile(cause)) throw cause;
    throw new DomainError('NOT_FOUND', `no data directory at ${dataDir}`, { cause });
  });
}

export async function openOrCreateGraph(settings: GraphSettings, log: Log): Promise<Graph> {
  const { dataDir: directory } = settings;
  try {
    const audit = await openCommandAudit(settings);
    const ended = (): Promise<void> => audit?.close() ?? Promise.resolve();
    const kept = retentionOf(settings);
    return await Graph.open({ directory, disk: new NodeDisk(), ...kept, log, audit, ended });
  } catch (cause) {
    if (!(cause instanceof DomainError) || cause.code !== 'STORE_LOCKED') throw cause;
    const hint = `if that is a server, ask it with --url http://127.0.0.1:${settings.port}, or its other address`;
    throw new DomainError('STORE_LOCKED', `${cause.message}: ${hint}`, { cause });
  }
}
