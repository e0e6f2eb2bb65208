import { actingAs, type AuditTrail } from '#platform/audit';
import { actorOf, type Admission, ANYONE, NOBODY, Unauthorized } from '#platform/auth';
import { whenThere } from '#platform/foundation';
import { admitCalls, BoundGrpcServer, type GrpcListenOptions, methodRequirements } from '#platform/grpc';
import { HIVE_PACKAGE, loadHiveProto } from '../proto/hive-proto.ts';
import { HiveGrpcController } from './hive-grpc.controller.ts';

/** Room for a batch and its envelope. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const KEEPALIVE_MS = 5_000;

/** If `tls` is set, edges must present certificates of its authority. */
export interface HiveGrpcServerOptions extends GrpcListenOptions {
  /** A silent edge is detected after twice this time. Default 5 s. */
  readonly keepaliveMs?: number;
  /** Checks the keys of edges; undefined: edges need none. */
  readonly admission?: Pick<Admission, 'decide' | 'follow'> | undefined;
  /** Takes the event of each call that is refused. */
  readonly audit?: Pick<AuditTrail, 'refusal'> | undefined;
}

/** What each method requires of its callers. */
export const HIVE_METHODS = methodRequirements(HIVE_PACKAGE, [HiveGrpcController]);

/**
 * The hive's gRPC server. Throws CERTIFICATE_INVALID if the hive's own certificate is invalid, and
 * STORE_UNAVAILABLE if it cannot listen on the address.
 */
export class HiveGrpcServer extends BoundGrpcServer {
  constructor({ keepaliveMs = KEEPALIVE_MS, admission, audit, ...listen }: HiveGrpcServerOptions) {
    super({
      ...listen,
      packageName: HIVE_PACKAGE,
      packageDefinition: loadHiveProto(),
      listener: 'edges',
      interceptors: [callersOf(admission ?? OPEN, audit)],
      channel: {
        'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
        'grpc.keepalive_time_ms': keepaliveMs,
        'grpc.keepalive_timeout_ms': keepaliveMs,
      },
    });
  }
}

type EdgeAdmission = Pick<Admission, 'decide' | 'follow'>;

/** Without keys every edge may call. */
const OPEN: EdgeAdmission = { decide: () => ({ caller: ANYONE }), follow: () => () => undefined };

/** Checks the keys of edges, and does their work for them. */
function callersOf(
  admission: EdgeAdmission,
  audit: HiveGrpcServerOptions['audit'],
): ReturnType<typeof admitCalls> {
  return admitCalls({
    decide: ({ method, authorization, from }) => {
      const asked = { headers: { authorization }, requirement: HIVE_METHODS.get(method) };
      return whenThere(admission.decide(asked), (decision) => {
        const { fault, caller = NOBODY } = decision;
        if (fault !== undefined)
          audit?.refusal(actorOf(caller, { from, what: method }), fault instanceof Unauthorized ? 401 : 403);
        return decision;
      });
    },
    follow: ({ method, caller }, end) =>
      admission.follow({ caller, requirement: HIVE_METHODS.get(method) }, end),
    within: ({ method, peer = 'gRPC', caller }, work) =>
      actingAs(actorOf(caller, { from: peer, what: method }), work),
  });
}
