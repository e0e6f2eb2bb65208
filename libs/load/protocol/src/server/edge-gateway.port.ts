import type { DomainError } from '#platform/foundation';
import type { ClockOffset } from '../wire/clock-probing.ts';
import type { EdgeProgress } from '../wire/edge-progress.ts';
import type {
  EdgeCredential,
  EdgeHeartbeat,
  EdgeIdentity,
  EdgeRegistration,
  PrepareOrder,
  RateOrder,
} from '../wire/edge-registration.ts';

/** An edge's answer to a {@link PrepareOrder}. */
export interface EdgeAnswer {
  readonly runId: string;
  readonly instanceId: string;
  readonly revision: number;
}

/** A received telemetry batch, not yet decoded. */
export interface ReceivedBatch {
  readonly runId: string;
  readonly seq: number;
  readonly eventCount: number;
  readonly tables: Uint8Array;
}

/** Sends messages to a connected edge. Has no effect after the connection has ended. */
export interface EdgeChannel {
  prepare(order: PrepareOrder): void;
  makeReady(runId: string, setupJson: string): void;
  /** `startAtUs` is by the hive's clock, microseconds since 1970. */
  start(runId: string, startAtUs: number): void;
  changeRate(order: RateOrder): void;
  stop(runId: string, isAbort: boolean, reason: string): void;
  /** Ends the edge, which does not reconnect. */
  evict(reason: string): void;
  /** Ends the connection. The edge may reconnect. */
  close(reason: string): void;
  /** The present error of the edge's certificate; undefined if it is valid or certificates are not used. */
  certificateFault(): string | undefined;
}

/** Receives the messages of a connected edge. */
export interface EdgeListener {
  heartbeat(heartbeat: EdgeHeartbeat): void;
  acked(answer: EdgeAnswer): void;
  nacked(answer: EdgeAnswer, code: string, reason: string): void;
  progressed(progress: EdgeProgress): void;
  /** A new estimate of the edge's clock. */
  clock(offset: ClockOffset): void;
  /** The last call, made once. */
  closed(): void;
}

/** The rejection of an edge. */
export interface EdgeRefusal {
  /** The id sent by the edge, not authenticated. */
  readonly edgeId: string;
  /** The caller's address in the notation of gRPC. */
  readonly peer: string;
  readonly error: DomainError;
}

/** The hive's operations for calling edges. */
export abstract class EdgeGateway {
  abstract readonly version: string;
  abstract readonly heartbeatIntervalMs: number;
  /** Maximum number of batches in flight per edge. */
  abstract readonly batchCredit: number;
  /** Throws EDGE_EVICTED, TOO_BUSY, NO_DISK_SPACE. */
  abstract register(identity: EdgeIdentity): Promise<EdgeRegistration>;
  abstract deregister(credential: EdgeCredential): Promise<void>;
  /** Throws EDGE_EVICTED if the credential does not belong to the current registration. */
  abstract admit(credential: EdgeCredential): EdgeRegistration;
  /** Notifies of a rejected registration or stream. */
  abstract refused(refusal: EdgeRefusal): void;
  abstract connect(registration: EdgeRegistration, channel: EdgeChannel): EdgeListener;
  /** Resolves when the batch is on disk. A rejection is final. */
  abstract receiveBatch(registration: EdgeRegistration, batch: ReceivedBatch): Promise<void>;
}
