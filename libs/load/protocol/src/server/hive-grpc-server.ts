import { BoundGrpcServer, type GrpcListenOptions } from '#platform/grpc';
import { HIVE_PACKAGE, loadHiveProto } from '../proto/hive-proto.ts';

/** Room for a batch and its envelope. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const KEEPALIVE_MS = 5_000;

/** If `tls` is set, edges must present certificates of its authority. */
export interface HiveGrpcServerOptions extends GrpcListenOptions {
  /** A silent edge is detected after twice this time. Default 5 s. */
  readonly keepaliveMs?: number;
}

/**
 * The hive's gRPC server. Throws CERTIFICATE_INVALID if the hive's own certificate is invalid, and
 * STORE_UNAVAILABLE if it cannot listen on the address.
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
