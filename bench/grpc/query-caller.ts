/** Calls `Query` by the protocol file, like a client in any language. */
import { ChannelCredentials, Client, type ClientReadableStream } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

interface QueryRequest {
  readonly pql: string;
  readonly params: Readonly<Record<string, { readonly stringValue: string }>>;
}

interface QueryPart {
  readonly items?: { readonly items: readonly unknown[] } | null;
  readonly summary?: { readonly count: string } | null;
}

interface StreamMethod {
  readonly path: string;
  readonly requestSerialize: (request: QueryRequest) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => QueryPart;
}

const PROTO = new URL('../../proto/graph.proto', import.meta.url).pathname;
const OPTIONS = { 'grpc.use_local_subchannel_pool': 1, 'grpc.max_receive_message_length': 64 * 2 ** 20 };
const method = queryMethod();

export class QueryCaller {
  readonly #client: Client;

  /** Over its own connection. */
  constructor(port: number) {
    this.#client = new Client(`127.0.0.1:${port}`, ChannelCredentials.createInsecure(), OPTIONS);
  }

  /** The size of a complete answer, which is not decoded, so that the client costs little. */
  async ask(request: QueryRequest): Promise<number> {
    let bytes = 0;
    for await (const part of this.#call(request, (buffer) => buffer)) bytes += (part as Buffer).length;
    return bytes;
  }

  /** The number of items of an answer; it must have a summary. */
  async count(request: QueryRequest): Promise<number> {
    let items = 0;
    let isWhole = false;
    for await (const part of this.#call(request, method.responseDeserialize)) {
      const { items: some, summary } = part as QueryPart;
      items += some?.items.length ?? 0;
      isWhole ||= summary !== undefined && summary !== null;
    }
    if (!isWhole) throw new Error('expected a summary');
    return items;
  }

  close(): void {
    this.#client.close();
  }

  #call<Part>(request: QueryRequest, read: (bytes: Buffer) => Part): ClientReadableStream<Part> {
    return this.#client.makeServerStreamRequest(method.path, method.requestSerialize, read, request);
  }
}

function queryMethod(): StreamMethod {
  const service = loadSync(PROTO, { longs: String, oneofs: true })['plexus.graph.v1.Graph'];
  const found: unknown = service === undefined ? undefined : Reflect.get(service, 'Query');
  if (typeof found !== 'object' || found === null) throw new Error('expected the method Query');
  return found as StreamMethod;
}
