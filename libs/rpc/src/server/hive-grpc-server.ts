import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from '@grpc/grpc-js';
import { ServerGrpc } from '@nestjs/microservices';
import { DomainError } from '#foundation';
import { assertUsable, type TlsMaterial } from '../tls/tls-material.ts';
import { HIVE_PACKAGE, loadHiveProto } from '../proto/hive-proto.ts';

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
}

/**
 * Nest's gRPC transport, which also tells its port. Throws CERTIFICATE_INVALID when the hive's own
 * certificate does not hold.
 */
export class HiveGrpcServer extends ServerGrpc {
  readonly #options: HiveGrpcServerOptions;
  #boundPort: number | undefined;

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
    const { host, port, tls, keepaliveMs = KEEPALIVE_MS } = this.#options;
    const server = new Server({
      'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
      'grpc.keepalive_time_ms': keepaliveMs,
      'grpc.keepalive_timeout_ms': keepaliveMs,
    });
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.#boundPort = await new Promise<number>((resolve, reject) => {
      server.bindAsync(address, credentialsOf(tls), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(new DomainError('STORE_UNAVAILABLE', whyNotBound(address, error), { cause: error }));
      });
    });
    return server;
  }
}

function whyNotBound(address: string, { message }: Error): string {
  return `cannot listen on ${address} for edges: ${/\bE[A-Z]{3,}\b/.exec(message)?.[0] ?? message}`;
}

function credentialsOf(tls: TlsMaterial | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) };
  return ServerCredentials.createSsl(Buffer.from(tls.ca), [pair], true);
}
