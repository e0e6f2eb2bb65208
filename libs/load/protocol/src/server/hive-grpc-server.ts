import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import type { TLSSocket } from 'node:tls';
import { DomainError } from '#platform/foundation';
import { HIVE_PACKAGE, loadHiveProto } from '../proto/hive-proto.ts';
import { type RefusedHandshake, TlsListener } from '../tls/tls-listener.ts';
import { assertUsable, type TlsMaterial } from '../tls/tls-material.ts';

/** A batch and what is around it. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const KEEPALIVE_MS = 5_000;

export interface HiveGrpcServerOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** With it, edges must show certificates of its authority. */
  readonly tls?: TlsMaterial | undefined;
  /** A silent edge is noticed after twice that. Default 5 s. */
  readonly keepaliveMs?: number;
  /** Hears of who has shown no certificate, or one that does not hold. */
  readonly onTlsRefused?: ((refused: RefusedHandshake) => void) | undefined;
}

/**
 * Nest's gRPC transport, which also tells its port. Throws CERTIFICATE_INVALID when the hive's own
 * certificate does not hold.
 */
export class HiveGrpcServer extends ServerGrpc {
  readonly #options: HiveGrpcServerOptions;
  #boundPort: number | undefined;
  #listener: TlsListener | undefined;

  constructor(options: HiveGrpcServerOptions) {
    super({
      package: HIVE_PACKAGE,
      packageDefinition: loadHiveProto(),
    });
    if (options.tls !== undefined) assertUsable(options.tls, Date.now());
    this.#options = options;
    // What goes wrong is told by its error, not past the log.
    setLogVerbosity(logVerbosity.NONE);
  }

  /** Undefined before it listens. */
  get boundPort(): number | undefined {
    return this.#boundPort;
  }

  /** Called by Nest when it is to listen. Throws STORE_UNAVAILABLE when the address cannot be had. */
  override async createClient(): Promise<Server> {
    const { keepaliveMs = KEEPALIVE_MS } = this.#options;
    const server = new Server({
      'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
      'grpc.keepalive_time_ms': keepaliveMs,
      'grpc.keepalive_timeout_ms': keepaliveMs,
    });
    this.#boundPort = await this.#bind(server);
    return server;
  }

  override async close(): Promise<void> {
    this.#listener?.close();
    await super.close();
  }

  async #bind(server: Server): Promise<number> {
    const { host, port, tls } = this.#options;
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    try {
      return tls === undefined ? await bindPlain(server, address) : await this.#listenByTls(server, tls);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new DomainError('STORE_UNAVAILABLE', whyNotBound(address, error), { cause: error });
    }
  }

  /** Connections come to the server when their certificate has been found to hold. */
  async #listenByTls(server: Server, material: TlsMaterial): Promise<number> {
    const { host, port, onTlsRefused = () => undefined } = this.#options;
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    const onConnection = (socket: TLSSocket): void => {
      injector.injectConnection(socket);
    };
    this.#listener = new TlsListener({ material, onConnection, onRefused: onTlsRefused });
    return this.#listener.listen(host, port);
  }
}

function bindPlain(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
}

function whyNotBound(address: string, { message }: Error): string {
  return `cannot listen on ${address} for edges: ${/\bE[A-Z]{3,}\b/.exec(message)?.[0] ?? message}`;
}
