import type { ServerUnaryCall } from '@grpc/grpc-js';
import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod, GrpcStreamCall, RpcException } from '@nestjs/microservices';
import { DomainError } from '#platform/foundation';
import type { EdgeIdentity } from '../edge/edge-registration.ts';
import type { HelloWire, RegisterReplyWire, RegisterRequestWire } from '../proto/hive-messages.ts';
import { PeerIdentity } from '../tls/peer-certificate.ts';
import { systemNowUs } from '../wire/clock-probing.ts';
import { grpcFailureOf } from '../wire/grpc-failure.ts';
import { ControlSession } from './control-session.ts';
import type { ControlCall } from './edge-call-channel.ts';
import { EdgeGateway } from './edge-gateway.port.ts';
import { checkIdentity } from './identity-check.ts';
import { type TelemetryCall, TelemetrySession } from './telemetry-session.ts';

const SERVICE = 'Hive';

type UnaryCall = ServerUnaryCall<unknown, unknown>;
type AnyCall = Pick<UnaryCall, 'getAuthContext'>;

/** The hive's side of `proto/hive.proto`. */
@Controller()
export class HiveGrpcController {
  readonly #gateway: EdgeGateway;

  constructor(@Inject(EdgeGateway) gateway: EdgeGateway) {
    this.#gateway = gateway;
  }

  @GrpcMethod(SERVICE, 'Register')
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
  deregister(request: HelloWire, _metadata: unknown, call: UnaryCall): Promise<object> {
    return this.#answered(request.edgeId, call, async () => {
      peerOf(call)?.assertIs(request.edgeId, Date.now());
      await this.#gateway.deregister(request);
      return {};
    });
  }

  /** `@GrpcStreamMethod` would queue without bounds: streams are served as they are. */
  @GrpcStreamCall(SERVICE, 'Control')
  control(call: ControlCall): Promise<void> {
    return new ControlSession(call, this.#gateway, peerOf(call)).serve();
  }

  @GrpcStreamCall(SERVICE, 'PushTelemetry')
  pushTelemetry(call: TelemetryCall): Promise<void> {
    return new TelemetrySession(call, this.#gateway, peerOf(call)).serve();
  }

  /** What Nest sends as it is. */
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
