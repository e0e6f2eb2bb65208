import { Readable } from 'node:stream';
import type { CypherReply } from '#graph/cypher';
import type { BulkLoadReply } from '#graph/engine';
import type { ParseOptions } from '#graph/model';
import { ServerClient } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { trustAuthority } from '#platform/tls';
import type { GraphSettings } from '../../settings.ts';
import type { RecordDiffReply, RowDiffReply } from '#graph/query';
import type { QueryReply } from '../format/query-reply.ts';
import type {
  CommandTarget,
  CypherBody,
  NamesInData,
  QueryBody,
  RecordDiffQuery,
  RowDiffBody,
} from './target.ts';

interface Call {
  readonly path: string;
  /** Default: POST with a body, else GET. */
  readonly method?: 'PUT' | 'DELETE';
  readonly body?: string | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

const NDJSON = 'application/x-ndjson';
const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** A server at an address; the key is sent with every request. */
export class HttpTarget implements CommandTarget {
  readonly #client: ServerClient;

  /** Throws UsageError. */
  constructor(settings: Pick<GraphSettings, 'url' | 'apiKey' | 'tlsCa'>) {
    this.#client = new ServerClient(settings, {
      trust: () => trustAuthority(new NodeDisk(), settings.tlsCa),
      silence: (base, cause) =>
        new DomainError('STORE_UNAVAILABLE', `no server answers at ${base}`, { cause }),
    });
  }

  query(body: QueryBody, signal?: AbortSignal): Promise<QueryReply> {
    return this.post('/v1/query', body, signal);
  }

  queryLines(body: QueryBody, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    return this.#lines('/v1/query', body, signal);
  }

  cypher(body: CypherBody, signal?: AbortSignal): Promise<CypherReply> {
    return this.post('/v1/cypher', body, signal);
  }

  cypherLines(body: CypherBody, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    return this.#lines('/v1/cypher', body, signal);
  }

  async *#lines(path: string, body: object, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    const headers = { ...JSON_HEADERS, Accept: NDJSON };
    const reply = await this.#call({ path, body: JSON.stringify(body), headers, signal });
    if (reply.body !== null) yield* Readable.fromWeb(reply.body) as AsyncIterable<Uint8Array>;
  }

  diff(query: RecordDiffQuery): Promise<RecordDiffReply> {
    return this.get(`/v1/diff?${new URLSearchParams({ ...query }).toString()}`);
  }

  diffRows(body: RowDiffBody): Promise<RowDiffReply> {
    return this.post('/v1/diff', body);
  }

  ingest(lines: Readable, { largeIntegers }: ParseOptions = {}): Promise<BulkLoadReply> {
    return this.#json({
      path: `/v1/ingest/bulk${largeIntegers === undefined ? '' : `?large_integers=${largeIntegers}`}`,
      body: lines,
      headers: { 'Content-Type': NDJSON },
    });
  }

  /** Changes of the graph, one a line. */
  async *changes(query: Readonly<Record<string, string | undefined>>): AsyncIterable<Uint8Array> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const path = `/v1/changes?${String(new URLSearchParams(given))}`;
    const reply = await this.#call({ path, headers: { Accept: NDJSON } });
    if (reply.body === null) return;
    try {
      yield* Readable.fromWeb(reply.body) as AsyncIterable<Uint8Array>;
    } catch (cause) {
      throw new DomainError('STORE_UNAVAILABLE', 'the server broke off the changes', { cause });
    }
  }

  /** The bytes of a backup, streamed. */
  backup(): AsyncGenerator<Uint8Array> {
    return this.bytes('/v1/backup', 'the server broke off the backup');
  }

  /** The bytes at a path, streamed; `broken` is said if they end early. */
  async *bytes(path: string, broken = 'the server broke off its reply'): AsyncGenerator<Uint8Array> {
    const reply = await this.#call({ path });
    if (reply.body === null) return;
    try {
      yield* Readable.fromWeb(reply.body) as AsyncIterable<Uint8Array>;
    } catch (cause) {
      throw new DomainError('STORE_UNAVAILABLE', broken, { cause });
    }
  }

  stats(): Promise<unknown> {
    return this.get('/v1/stats');
  }

  schema(): Promise<NamesInData> {
    return this.get('/v1/schema');
  }

  /** Posts a JSON body piece by piece and returns the reply. */
  upload<Reply>(path: string, body: Readable): Promise<Reply> {
    return this.#json({ path, body, headers: JSON_HEADERS });
  }

  /** The JSON at a path. */
  get<Reply>(path: string, signal?: AbortSignal): Promise<Reply> {
    return this.#json({ path, signal });
  }

  /** Posts a JSON body and returns the reply. */
  post<Reply>(path: string, body: object, signal?: AbortSignal): Promise<Reply> {
    return this.#json({ path, body: JSON.stringify(body), headers: JSON_HEADERS, signal });
  }

  /** Puts a JSON body. */
  async put(path: string, body: object): Promise<void> {
    await this.#call({ path, body: JSON.stringify(body), headers: JSON_HEADERS, method: 'PUT' });
  }

  /** Sends a JSON body, if any, by another method, and returns the reply. */
  send<Reply>(method: 'PUT' | 'DELETE', path: string, body?: object): Promise<Reply> {
    const content = body === undefined ? {} : { body: JSON.stringify(body), headers: JSON_HEADERS };
    return this.#json({ path, method, ...content });
  }

  /** Posts a YAML document and returns the reply. */
  postYaml<Reply>(path: string, yaml: string): Promise<Reply> {
    const headers = { 'Content-Type': 'application/yaml' };
    return this.#json({ path, body: yaml, headers });
  }

  /** Whatever its state is: a key is not looked at. */
  async reach(): Promise<void> {
    await (await this.#client.send('/v1/health')).body?.cancel();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #call(call: Call): Promise<Response> {
    return this.#client.call(call.path, requestOf(call));
  }

  #json<Reply>(call: Call): Promise<Reply> {
    return this.#client.json(call.path, requestOf(call));
  }
}

function requestOf({ method, body, headers = {}, signal }: Call): RequestInit {
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(signal && { signal }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : Readable.toWeb(body) }),
    duplex: 'half',
  };
}
