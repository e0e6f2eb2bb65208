import { BoundGrpcServer, type GrpcListenOptions } from '#platform/grpc';
import { HIVE_PACKAGE, loadHiveProto } from '../proto/hive-proto.ts';

/** A batch and what is around it. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const KEEPALIVE_MS = 5_000;

/** With `tls`, edges must show certificates of its authority. */
export interface HiveGrpcServerOptions extends GrpcListenOptions {
  /** A silent edge is noticed after twice that. Default 5 s. */
  readonly keepaliveMs?: number;
}

/**
 * The hive's gRPC server. Throws CERTIFICATE_INVALID when the hive's own certificate does not hold, and
 * STORE_UNAVAILABLE when it is to listen and the address cannot be had.
 */
export class HiveGrpcServer extends BoundGrpcServer {
  constructor({ keepaliveMs = KEEPALIVE_MS, ...listen }: HiveGrpcServerOptions) {
    super({
      ...listen,
      packageName: HIVE_PACKAGE,
      packageDefinition: loadHiveProto(),
      listener: 'edges',
      channel: {
        'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
        'grpc.keepalive_time_ms': keepaliveMs,
        'grpc.keepalive_timeout_ms': keepaliveMs,
      },
    });
  }
}
