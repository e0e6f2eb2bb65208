import type { Readable } from 'node:stream';
import { Registry } from 'prom-client';
import { isMissingFile, NodeDisk } from '#disk';
import { DomainError, systemClock } from '#foundation';
import { Graph } from '#graph';
import type { Log } from '#observability';
import { BulkLoad, type BulkLoadReply } from '../../http/ingest/bulk-load.ts';
import { parseQueryRequest } from '../../http/query/query-request.ts';
import { createQueryService, type QueryService } from '../../http/query/query-service.ts';
import type { GraphSettings } from '../../settings.ts';
import { VERSION } from '../../version.ts';
import type { QueryReply } from '../format/query-reply.ts';
import type { QueryBody, Target } from './target.ts';

/** Nobody hangs up on a command. */
const NEVER = { aborted: false };

/** A data directory, opened and held by this process. */
export class LocalTarget implements Target {
  readonly #graph: Graph;
  readonly #queries: QueryService;

  /** Opens a store that is there; a command that asks must not make one of a mistyped path. */
  static async open(settings: GraphSettings, log: Log): Promise<LocalTarget> {
    await new NodeDisk().list(settings.dataDir).catch((cause: unknown) => {
      if (!isMissingFile(cause)) throw cause;
      throw new DomainError('NOT_FOUND', `no data directory at ${settings.dataDir}`, { cause });
    });
    return LocalTarget.openOrCreate(settings, log);
  }

  static async openOrCreate(settings: GraphSettings, log: Log): Promise<LocalTarget> {
    const graph = await Graph.open({
      directory: settings.dataDir,
      disk: new NodeDisk(),
      retentionMs: settings.retention,
      log,
    });
    return new LocalTarget(graph, settings);
  }

  private constructor(graph: Graph, settings: GraphSettings) {
    this.#graph = graph;
    const parts = { graph, settings, registry: new Registry(), clock: systemClock };
    this.#queries = createQueryService(parts);
  }

  async query(body: QueryBody): Promise<QueryReply> {
    const bytes = await this.#queries.page(parseQueryRequest(body), NEVER);
    return JSON.parse(bytes.toString('utf8')) as QueryReply;
  }

  async *queryLines(body: QueryBody): AsyncIterable<Uint8Array> {
    yield* await this.#queries.stream(parseQueryRequest(body), NEVER);
  }

  ingest(lines: Readable): Promise<BulkLoadReply> {
    return new BulkLoad(this.#graph, { parse: {}, write: {} }).run(lines);
  }

  stats(): Promise<unknown> {
    return Promise.resolve({ version: VERSION, ...this.#graph.stats() });
  }

  backup(directory: string): Promise<void> {
    return this.#graph.backup(directory);
  }

  async close(): Promise<void> {
    this.#queries.close();
    await this.#graph.close();
  }
}
