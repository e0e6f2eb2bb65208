import type { ServerUnaryCall } from '@grpc/grpc-js';
import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod, GrpcStreamCall, RpcException } from '@nestjs/microservices';
import { Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import type { EdgeIdentity } from '../wire/edge-registration.ts';
import type { HelloWire, RegisterReplyWire, RegisterRequestWire } from '../generated/hive-messages.ts';
import { PeerIdentity } from './peer-certificate.ts';
import { systemNowUs } from '../wire/clock-probing.ts';
import { grpcFailureOf } from '../wire/grpc-failure.ts';
import { type ControlCall, ControlSession } from './control-session.ts';
import { EdgeGateway } from './edge-gateway.port.ts';
import { type TelemetryCall, TelemetrySession } from './telemetry-session.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const TEXT = /^[^\0-\x1f\x7f]{0,255}$/u;

const LABELS_MAX = 32;

const COUNT_MAX = 65_536;

const SERVICE = 'Hive';

type UnaryCall = ServerUnaryCall<unknown, unknown>;
type AnyCall = Pick<UnaryCall, 'getAuthContext'>;

/** The server of `proto/hive.proto`. */
@Controller()
export class HiveGrpcController {
  readonly #gateway: EdgeGateway;

  constructor(@Inject(EdgeGateway) gateway: EdgeGateway) {
    this.#gateway = gateway;
  }

  @GrpcMethod(SERVICE, 'Register')
  @Requires('edges')
  register(request: RegisterRequestWire, _metadata: unknown, call: UnaryCall): Promise<RegisterReplyWire> {
    return this.#answered(request.edgeId, call, async () => {
      const identity: EdgeIdentity = checkIdentity(request);
      peerOf(call)?.assertIs(identity.edgeId, Date.now());
      const { fence } = await this.#gateway.register(identity);
      const { version: hiveVersion, heartbeatIntervalMs } = this.#gateway;
      return { fence, hiveVersion, heartbeatIntervalMs, hiveTimeUs: systemNowUs() };
    });
  }

  @GrpcMethod(SERVICE, 'Deregister')
  @Requires('edges')
  deregister(request: HelloWire, _metadata: unknown, call: UnaryCall): Promise<object> {
    return this.#answered(request.edgeId, call, async () => {
      peerOf(call)?.assertIs(request.edgeId, Date.now());
      await this.#gateway.deregister(request);
      return {};
    });
  }

  /** Serves the raw stream, because `@GrpcStreamMethod` queues without a limit. */
  @GrpcStreamCall(SERVICE, 'Control')
  @Requires('edges')
  control(call: ControlCall): Promise<void> {
    return new ControlSession(call, this.#gateway, peerOf(call)).serve();
  }

  @GrpcStreamCall(SERVICE, 'PushTelemetry')
  @Requires('edges')
  pushTelemetry(call: TelemetryCall): Promise<void> {
    return new TelemetrySession(call, this.#gateway, peerOf(call)).serve();
  }

  /** Converts a `DomainError` to an exception that Nest sends unchanged. */
  async #answered<Reply>(edgeId: string, call: UnaryCall, answer: () => Promise<Reply>): Promise<Reply> {
    try {
      return await answer();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#gateway.refused({ edgeId, peer: call.getPeer(), error });
      throw new RpcException(grpcFailureOf(error));
    }
  }
}

function peerOf(call: AnyCall): PeerIdentity | undefined {
  return PeerIdentity.of(call.getAuthContext().sslPeerCertificate);
}

/** Validates the identity sent by an edge. Throws INVALID_REQUEST. */
function checkIdentity(wire: RegisterRequestWire): EdgeIdentity {
  const { edgeId, instanceId, version, hostname, labels, workers, cores } = wire;
  const rules: readonly (readonly [boolean, string])[] = [
    [NAME.test(edgeId), 'edge_id: expected 1 to 64 letters, digits, dots, dashes or underscores'],
    [NAME.test(instanceId), 'instance_id: expected 1 to 64 letters, digits, dots, dashes or underscores'],
    [[version, hostname].every((text) => TEXT.test(text)), 'version, hostname: expected short texts'],
    [isLabels(labels), `labels: expected ${LABELS_MAX} short texts at most`],
    [[workers, cores].every((count) => count <= COUNT_MAX), 'workers, cores: expected small numbers'],
  ];
  const fault = rules.find(([holds]) => !holds)?.[1];
  if (fault !== undefined) throw new DomainError('INVALID_REQUEST', fault);
  return { edgeId, instanceId, version, hostname, labels, workers, cores };
}

function isLabels(labels: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(labels);
  return entries.length <= LABELS_MAX && entries.every((entry) => entry.every((text) => TEXT.test(text)));
}
