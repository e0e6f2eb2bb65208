import {
  type ChannelOptions,
  type handleBidiStreamingCall,
  logVerbosity,
  Server,
  ServerCredentials,
  type ServerInterceptor,
  setLogVerbosity,
  status,
} from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ServerGrpc } from '@nestjs/microservices';
import type { TLSSocket } from 'node:tls';
import { assert, DomainError } from '#platform/foundation';
import { assertUsable, type ServerTls } from '#platform/tls';
import { callFailureOf } from '../call/call-failure.ts';
import { type RefusedHandshake, TlsListener } from './tls-listener.ts';

/** The listen address of a server, and its TLS settings. */
export interface GrpcListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls?: ServerTls | undefined;
  /** Called for each client without a valid certificate. */
  readonly onTlsRefused?: ((refused: RefusedHandshake) => void) | undefined;
}

export interface BoundGrpcServerOptions extends GrpcListenOptions {
  /** The package name in the protocol. */
  readonly packageName: string;
  readonly packageDefinition: PackageDefinition;
  /** The purpose of the listener, for error messages at startup. */
  readonly listener: string;
  readonly channel: ChannelOptions;
  readonly interceptors?: ServerInterceptor[];
  /** Grace period of calls in flight when the server closes; default: they are cancelled at once. */
  readonly closeGraceMs?: number;
  /** Adds services that have no controller. */
  readonly extend?: (server: Server) => void;
}

/**
 * Nest's gRPC transport, which also reports its port. Throws CERTIFICATE_INVALID when the server's own
 * certificate is invalid.
 */
export class BoundGrpcServer extends ServerGrpc {
  readonly #options: BoundGrpcServerOptions;
  #boundPort: number | undefined;
  #listener: TlsListener | undefined;
  #server: Server | undefined;
  #draining: Promise<void> | undefined;

  constructor(options: BoundGrpcServerOptions) {
    const { packageName, packageDefinition, tls } = options;
    super({ package: packageName, packageDefinition });
    if (tls !== undefined) assertUsable(tls, Date.now());
    this.#options = options;
    // Faults are reported as errors; grpc-js would also write them to the console.
    setLogVerbosity(logVerbosity.NONE);
  }

  /** Undefined before it listens. */
  get boundPort(): number | undefined {
    return this.#boundPort;
  }

  /** Called by Nest to start listening. Throws STORE_UNAVAILABLE when the address cannot be bound. */
  override async createClient(): Promise<Server> {
    const { channel, interceptors = [], extend } = this.#options;
    const server = new Server({ ...channel, interceptors });
    checkUnknownMethods(server);
    extend?.(server);
    this.#boundPort = await this.#bind(server);
    this.#server = server;
    return server;
  }

  /** Rejects new calls; resolves when calls in flight have ended or the grace period is over. */
  drain(): Promise<void> {
    this.#listener?.close();
    this.#draining ??= drained(this.#server, this.#options.closeGraceMs ?? 0);
    return this.#draining;
  }

  override async close(): Promise<void> {
    await this.drain();
    await super.close();
  }

  async #bind(server: Server): Promise<number> {
    const { host, port, tls, listener } = this.#options;
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    try {
      return tls === undefined ? await bindPlain(server, address) : await this.#listenByTls(server, tls);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const reason = /\bE[A-Z]{3,}\b/.exec(error.message)?.[0] ?? error.message;
      const message = `cannot listen on ${address} for ${listener}: ${reason}`;
      throw new DomainError('STORE_UNAVAILABLE', message, { cause: error });
    }
  }

  /** Listens, and passes only connections with a valid certificate to the server. */
  async #listenByTls(server: Server, material: ServerTls): Promise<number> {
    const { host, port, onTlsRefused = () => undefined } = this.#options;
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    const onConnection = (socket: TLSSocket): void => {
      injector.injectConnection(socket);
    };
    this.#listener = new TlsListener({ material, onConnection, onRefused: onTlsRefused });
    return this.#listener.listen(host, port);
  }
}

interface Handler {
  readonly func: handleBidiStreamingCall<Buffer, Buffer>;
  readonly serialize: (bytes: Buffer) => Buffer;
  readonly deserialize: (bytes: Buffer) => Buffer;
  readonly type: 'bidi';
  readonly path: string;
}

/** Takes calls of unknown methods. Its path is theirs in metrics and logs. */
const UNKNOWN: Handler = {
  func: (call) => {
    const { details, metadata } = callFailureOf(new DomainError('NOT_FOUND', 'no such method'), undefined);
    call.emit('error', { code: status.UNIMPLEMENTED, details, metadata });
  },
  serialize: (bytes) => bytes,
  deserialize: (bytes) => bytes,
  type: 'bidi',
  path: '/unknown/unknown',
};

class HandlersWithUnknown extends Map<string, Handler> {
  override get(path: string): Handler {
    return super.get(path) ?? UNKNOWN;
  }
}

/**
 * grpc-js answers calls of unknown methods before any interceptor: without a check of the caller, and
 * uncounted. It has no public place for a handler of them.
 */
function checkUnknownMethods(server: Server): void {
  assert(Reflect.get(server, 'handlers') instanceof Map, 'grpc-js keeps its handlers in a map');
  Reflect.set(server, 'handlers', new HandlersWithUnknown());
}

function bindPlain(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
}

async function drained(server: Server | undefined, graceMs: number): Promise<void> {
  if (server === undefined || graceMs === 0) return;
  await new Promise<void>((resolve) => {
    const cutOff = setTimeout(resolve, graceMs);
    server.tryShutdown(() => {
      clearTimeout(cutOff);
      resolve();
    });
  });
}
