import { status } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { type Graph } from '#graph/engine';
import { type Actor, actingAs, type AuditTrail } from '#platform/audit';
import {
  actorOf,
  type Admission,
  type Caller,
  type Decision,
  NOBODY,
  type Requirement,
} from '#platform/auth';
import type { Soon } from '#platform/foundation';
import {
  type ArrivingCall,
  BoundGrpcServer,
  CallGate,
  type CallMetrics,
  type GrpcListenOptions,
  methodRequirements,
} from '#platform/grpc';
import type { GrpcLimits } from '../calls/grpc-limits.ts';
import { GRAPH_PACKAGE, loadGraphProto, reflectedProtos } from '../proto/graph-proto.ts';
import { GraphHealthService } from './graph-health.ts';
import { HistoryGrpcController } from './history-grpc.controller.ts';
import { IngestGrpcController } from './ingest-grpc.controller.ts';
import { QueryGrpcController } from './query-grpc.controller.ts';
import { RecordGrpcController } from './record-grpc.controller.ts';

export interface GraphGrpcServerOptions {
  readonly listen: GrpcListenOptions;
  readonly admission: Admission;
  /** Takes the event of each refusal. */
  readonly audit?: Pick<AuditTrail, 'refusal'> | undefined;
  /** Grace period for calls in flight when the server closes. */
  readonly closeGraceMs: number;
}

const HEALTH = 'grpc.health.v1.Health/';
const HEALTH_WATCH = `${HEALTH}Watch`;
const REFLECTION = 'grpc.reflection.';
/** Maximum number of health watches and of reflection streams, which have no natural end. */
const ENDLESS_MAX = 64;
const ENDLESS_MESSAGES_MAX = 256;
/** A silent client is detected after twice this interval. */
const KEEPALIVE_MS = 30_000;
const STREAMS_MAX = 128;
/** Maximum size of a reply; larger than any useful page of neighbours. */
const REPLY_BYTES_MAX = 64 * 2 ** 20;

/**
 * The graph's gRPC server, with health and reflection. Throws CERTIFICATE_INVALID for an invalid server
 * certificate, and STORE_UNAVAILABLE if the address cannot be bound.
 */
export class GraphGrpcServer extends BoundGrpcServer implements BeforeApplicationShutdown {
  readonly #gate: CallGate;
  readonly #health: GraphHealthService;

  constructor(options: GraphGrpcServerOptions, graph: Graph, metrics: CallMetrics, limits: GrpcLimits) {
    const { listen, admission, audit, closeGraceMs } = options;
    const health = new GraphHealthService(graph);
    const gate = new CallGate(
      {
        decide: (call) => decide(call, admission, health),
        follow: ({ method, caller }, end) =>
          admission.follow({ caller, requirement: requirementOf(method) }, end),
        within: (call, work) => actingAs(actorOfCall(call), work),
        onRefused: (call, code) =>
          audit?.refusal(actorOfCall(call), code === status.UNAUTHENTICATED ? 401 : 403),
        isEndless: (method) => method === HEALTH_WATCH || method.startsWith(REFLECTION),
        endlessMax: ENDLESS_MAX,
        messagesMax: ENDLESS_MESSAGES_MAX,
      },
      metrics,
    );
    const packageDefinition = loadGraphProto();
    super({
      ...listen,
      packageName: GRAPH_PACKAGE,
      packageDefinition,
      listener: 'gRPC',
      interceptors: [gate.interceptor],
      closeGraceMs,
      channel: {
        'grpc.max_receive_message_length': limits.messageBytesMax,
        'grpc.max_send_message_length': REPLY_BYTES_MAX,
        'grpc.max_concurrent_streams': STREAMS_MAX,
        'grpc.keepalive_time_ms': KEEPALIVE_MS,
        'grpc.keepalive_timeout_ms': KEEPALIVE_MS,
      },
      extend: (server) => {
        health.addTo(server);
        new ReflectionService(reflectedProtos()).addToServer(server);
      },
    });
    this.#gate = gate;
    this.#health = health;
  }

  /** HTTP closes concurrently. */
  beforeApplicationShutdown(): void {
    void this.drain();
  }

  override drain(): Promise<void> {
    const drained = super.drain();
    this.#health.stop();
    this.#gate.endEndless();
    return drained;
  }
}

/** What each method requires of its callers; reflection shows the protocol, which is read. */
export const GRAPH_METHODS = methodRequirements(GRAPH_PACKAGE, [
  QueryGrpcController,
  IngestGrpcController,
  RecordGrpcController,
  HistoryGrpcController,
]);
const READING: Requirement = { permission: 'read', keepsSource: false, keepsScope: true };

/** Health requires no key, like `/v1/health`. */
function decide(
  { method, headers }: ArrivingCall,
  admission: Admission,
  health: GraphHealthService,
): Soon<Decision> {
  if (method.startsWith(HEALTH)) {
    health.look();
    return admission.decide({ headers, mark: 'always', requirement: undefined });
  }
  return admission.decide({ headers, requirement: requirementOf(method) });
}

interface CallPlace {
  readonly method: string;
  readonly peer?: string | undefined;
  readonly requestId?: string | undefined;
  readonly caller?: Caller | undefined;
}

function actorOfCall({ method, peer = 'gRPC', requestId, caller = NOBODY }: CallPlace): Actor {
  return actorOf(caller, { from: peer, what: `gRPC ${method}`, requestId });
}

/** Undefined where there is no such method, and for health. */
function requirementOf(method: string): Requirement | undefined {
  return method.startsWith(REFLECTION) ? READING : GRAPH_METHODS.get(method);
}
