import {
  type CallOptions,
  ChannelCredentials,
  type GrpcObject,
  loadPackageDefinition,
  Metadata,
  type requestCallback,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import {
  type ChangesReplyWire,
  type ChangesRequestSent,
  type DiffReplyWire,
  type DiffRequestSent,
  type EntityWire,
  GRAPH_PACKAGE,
  GRAPH_SERVICE,
  loadGraphProto,
  type NeighborsReplyWire,
  type NeighborsRequestSent,
  type QueryHeadWire,
  type QueryItemWire,
  type QueryReplyWire,
  type QueryRequestSent,
  type QuerySummaryWire,
  type SchemaReplyWire,
  type SyncReplyWire,
  type SyncRequestSent,
  type WriteReplyWire,
  type WriteRequestSent,
} from '#graph/api/grpc';
import type { GraphClient } from './graph-client.ts';

export interface GraphCallerOptions {
  readonly key?: string;
  readonly credentials?: ChannelCredentials;
  /** Metadata in addition to the key. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The complete stream of a query. */
export interface QueryAnswer {
  readonly head: QueryHeadWire;
  readonly items: readonly QueryItemWire[];
  readonly summary: QuerySummaryWire;
}

/** How a call failed. */
export interface CallFault {
  readonly status: string;
  readonly details: string;
  /** The trailer `plexus-error`. */
  readonly error: Readonly<Record<string, unknown>>;
}

type Constructor = new (
  address: string,
  credentials: ChannelCredentials,
  options: Readonly<Record<string, number>>,
) => GraphClient;

const MIB = 2 ** 20;
const OPTIONS = { 'grpc.use_local_subchannel_pool': 1, 'grpc.max_receive_message_length': 64 * MIB };

/** Calls a graph service through the generated client. */
export class GraphCaller {
  readonly client: GraphClient;
  readonly metadata = new Metadata();

  constructor(address: string, { key, credentials, metadata = {} }: GraphCallerOptions = {}) {
    this.client = new (graphClientConstructor())(
      address,
      credentials ?? ChannelCredentials.createInsecure(),
      OPTIONS,
    );
    if (key !== undefined) this.metadata.set('authorization', `Bearer ${key}`);
    for (const [name, value] of Object.entries(metadata)) this.metadata.set(name, value);
  }

  close(): void {
    this.client.close();
  }

  async query(request: string | QueryRequestSent, options: CallOptions = {}): Promise<QueryAnswer> {
    const asked = typeof request === 'string' ? { pql: request } : request;
    const stream = this.client.query(asked, this.metadata, options);
    const replies: QueryReplyWire[] = [];
    for await (const reply of stream) replies.push(reply as QueryReplyWire);
    const head = replies[0]?.head;
    const summary = replies.at(-1)?.summary;
    if (head === undefined || summary === undefined) throw new Error('expected a head and a summary');
    return { head, items: replies.flatMap(({ items }) => items?.items ?? []), summary };
  }

  write(request: WriteRequestSent): Promise<WriteReplyWire> {
    return answered((callback) => this.client.write(request, this.metadata, callback));
  }

  /** Sends the messages unchanged and ends the stream. */
  sync(...messages: readonly SyncRequestSent[]): Promise<SyncReplyWire> {
    return answered((callback) => {
      const call = this.client.sync(this.metadata, callback);
      for (const message of messages) call.write(message);
      call.end();
    });
  }

  entity(id: string, sources = false): Promise<EntityWire> {
    return answered((callback) => this.client.getEntity({ id, sources }, this.metadata, callback));
  }

  neighbors(request: NeighborsRequestSent): Promise<NeighborsReplyWire> {
    return answered((callback) => this.client.neighbors(request, this.metadata, callback));
  }

  /** The stream until it ends; leaving it cancels the call. */
  async *changes(request: ChangesRequestSent): AsyncGenerator<ChangesReplyWire, void, undefined> {
    const stream = this.client.changes(request, this.metadata);
    // A call that its reader cancels ends with an error too.
    stream.on('error', () => undefined);
    try {
      for await (const reply of stream) yield reply as ChangesReplyWire;
    } finally {
      stream.cancel();
    }
  }

  diff(request: DiffRequestSent): Promise<DiffReplyWire> {
    return answered((callback) => this.client.diff(request, this.metadata, callback));
  }

  schema(): Promise<SchemaReplyWire> {
    return answered((callback) => this.client.schema({}, this.metadata, callback));
  }
}

/** The error of a call; throws if the call succeeds. */
export async function callFault(call: Promise<unknown>): Promise<CallFault> {
  try {
    await call;
  } catch (error) {
    return faultOf(error as ServiceError);
  }
  throw new Error('expected the call to fail');
}

function faultOf({ code, details, metadata }: ServiceError): CallFault {
  const [text] = metadata.get('plexus-error');
  const error = JSON.parse(text === undefined ? '{}' : String(text)) as CallFault['error'];
  return { status: status[code], details, error };
}

function answered<Reply>(call: (callback: requestCallback<Reply>) => unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    call((error, reply) => {
      if (error !== null) reject(error);
      else if (reply !== undefined) resolve(reply);
    });
  });
}

let constructor: Constructor | undefined;

function graphClientConstructor(): Constructor {
  return (constructor ??= loadConstructor());
}

function loadConstructor(): Constructor {
  const names = [...GRAPH_PACKAGE.split('.'), GRAPH_SERVICE];
  const loaded: unknown = names.reduce<unknown>(
    (owner, name) => (owner as GrpcObject)[name],
    loadPackageDefinition(loadGraphProto()),
  );
  return loaded as Constructor;
}
