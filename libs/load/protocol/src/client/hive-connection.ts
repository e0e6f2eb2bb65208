import {
  type ClientDuplexStream,
  type ClientUnaryCall,
  credentials,
  InterceptingCall,
  type Interceptor,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { assert, type Secret } from '#platform/foundation';
import type { TlsMaterial } from '#platform/grpc';
import type { EdgeIdentity } from '../wire/edge-registration.ts';
import type {
  EdgeMessageWire,
  HelloWire,
  HiveMessageWire,
  RegisterReplyWire,
  RegisterRequestWire,
  TelemetryMessageWire,
  TelemetryReplyWire,
} from '../generated/hive-messages.ts';
import { hiveClientConstructor } from '../proto/hive-proto.ts';

const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/**
 * Exponential back-off with jitter: the limit doubles with each attempt, and the pause is random between half
 * of the limit and the limit. Edges that lose their hive simultaneously do not reconnect simultaneously.
 */
export class Backoff {
  readonly #random: () => number;
  #longestMs = FIRST_MS;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  next(): number {
    const ms = this.#longestMs * (0.5 + this.#random() / 2);
    this.#longestMs = Math.min(LONGEST_MS, this.#longestMs * 2);
    return ms;
  }

  /** Called after a successful attempt. */
  reset(): void {
    this.#longestMs = FIRST_MS;
  }
}

const UNARY_MS_MAX = 10_000;
const LEAVING_MS_MAX = 3_000;
const END_MS_MAX = 2_000;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const KEEPALIVE_MS = 5_000;
const FINAL = { final: { code: '', reason: '' } } as const;

const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.enable_retries': 0,
  // Two clients in one process, as in tests, have separate connections.
  'grpc.use_local_subchannel_pool': 1,
} as const;

type ControlStream = ClientDuplexStream<EdgeMessageWire, HiveMessageWire>;

type TelemetryStream = ClientDuplexStream<TelemetryMessageWire, TelemetryReplyWire>;

type Answer<Reply> = (error: ServiceError | null, reply?: Reply) => void;

interface Deadline {
  readonly deadline: number;
}

/** The stub generated from hive.proto. */
interface HiveStub {
  register(request: RegisterRequestWire, options: Deadline, done: Answer<RegisterReplyWire>): ClientUnaryCall;
  deregister(request: HelloWire, options: Deadline, done: Answer<object>): ClientUnaryCall;
  control(): ControlStream;
  pushTelemetry(): TelemetryStream;
  close(): void;
}

interface ConnectionOptions {
  /** `host:port`. */
  readonly address: string;
  readonly tls?: TlsMaterial | undefined;
  readonly key?: Secret | undefined;
  /** A silent hive is detected after twice this time. Default 5 s. */
  readonly keepaliveMs?: number;
}

interface ConnectionEvents {
  heard(message: HiveMessageWire): void;
  heardOfTelemetry(reply: TelemetryReplyWire): void;
}

/** One connection to the hive, from registration to its end. It cannot be reopened. */
export class HiveConnection {
  readonly #stub: HiveStub;
  readonly #over: PromiseWithResolvers<Error | undefined> = Promise.withResolvers();
  #hello: HelloWire | undefined;
  #registering: ClientUnaryCall | undefined;
  #control: ControlStream | undefined;
  #telemetry: TelemetryStream | undefined;

  constructor({ address, tls, key, keepaliveMs = KEEPALIVE_MS }: ConnectionOptions) {
    const Stub = hiveClientConstructor();
    const options = {
      ...CHANNEL_OPTIONS,
      'grpc.keepalive_time_ms': keepaliveMs,
      'grpc.keepalive_timeout_ms': keepaliveMs,
      ...(key !== undefined && { interceptors: [showing(key)] }),
    };
    this.#stub = new Stub(address, credentialsOf(tls), options) as object as HiveStub;
  }

  /** Resolves at the end of the connection with its cause; undefined after a regular end. */
  get over(): Promise<Error | undefined> {
    return this.#over.promise;
  }

  /** Registers and opens both streams. Rejects if the call fails. */
  async open(identity: EdgeIdentity, events: ConnectionEvents): Promise<RegisterReplyWire> {
    const deadline = Date.now() + UNARY_MS_MAX;
    const reply = await answer<RegisterReplyWire>((done) => {
      this.#registering = this.#stub.register({ ...identity }, { deadline }, done);
    });
    const { edgeId, instanceId } = identity;
    const hello = { edgeId, instanceId, fence: reply.fence };
    this.#hello = hello;
    this.#control = this.#watched(this.#stub.control());
    this.#control.on('data', (message: HiveMessageWire) => events.heard(message));
    this.#control.write({ hello });
    this.#telemetry = this.#watched(this.#stub.pushTelemetry());
    this.#telemetry.on('data', (answered: TelemetryReplyWire) => events.heardOfTelemetry(answered));
    this.#telemetry.write({ hello });
    return reply;
  }

  say(message: EdgeMessageWire): void {
    if (this.#control?.writable === true) this.#control.write(message);
  }

  push(message: TelemetryMessageWire): void {
    if (this.#telemetry?.writable === true) this.#telemetry.write(message);
  }

  /** Notifies the hive not to wait for this edge. Rejects if the call fails. */
  async deregister(): Promise<void> {
    const hello = this.#hello;
    if (hello === undefined) return;
    const deadline = Date.now() + LEAVING_MS_MAX;
    await answer<object>((done) => {
      this.#stub.deregister(hello, { deadline }, done);
    });
  }

  /** Ends both streams gracefully; cancels them after two seconds. */
  async end(): Promise<void> {
    const streams = [this.#control, this.#telemetry].filter((stream) => stream !== undefined);
    const ends = streams.map((stream) => new Promise((resolve) => stream.once('status', resolve)));
    this.#control?.write(FINAL);
    this.#telemetry?.write(FINAL);
    for (const stream of streams) stream.end();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, END_MS_MAX)));
    await Promise.race([Promise.all(ends), this.over, late]);
    clearTimeout(timer);
    this.drop(undefined);
  }

  /** Cancels all calls at once. */
  drop(cause: Error | undefined): void {
    this.#registering?.cancel();
    this.#control?.cancel();
    this.#telemetry?.cancel();
    this.#stub.close();
    this.#over.resolve(cause);
  }

  /** Ends the connection when the stream ends. */
  #watched<Stream extends ControlStream | TelemetryStream>(stream: Stream): Stream {
    stream.on('error', (error: Error) => this.drop(error));
    stream.on('status', ({ code, details }: { readonly code: status; readonly details: string }) => {
      if (code === status.OK) this.drop(new Error(details === '' ? 'the hive ended the stream' : details));
    });
    return stream;
  }
}

/** Adds the key to the metadata of each call. */
function showing(key: Secret): Interceptor {
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start: (metadata, listener, next) => {
        metadata.set('authorization', `Bearer ${key.reveal()}`);
        next(metadata, listener);
      },
    });
}

function credentialsOf(tls: TlsMaterial | undefined): ReturnType<typeof credentials.createInsecure> {
  if (tls === undefined) return credentials.createInsecure();
  return credentials.createSsl(Buffer.from(tls.ca), Buffer.from(tls.key), Buffer.from(tls.cert));
}

function answer<Reply>(call: (done: Answer<Reply>) => void): Promise<Reply> {
  return new Promise((resolve, reject) => {
    call((error, reply) => {
      if (error !== null) {
        reject(error);
        return;
      }
      assert(reply !== undefined, 'a call without an error has a reply');
      resolve(reply);
    });
  });
}
