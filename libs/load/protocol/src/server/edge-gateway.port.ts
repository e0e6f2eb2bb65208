import type { DomainError } from '#platform/foundation';
import type { ClockOffset } from '../wire/clock-probing.ts';
import type { EdgeProgress } from '../wire/edge-progress.ts';
import type {
  EdgeCredential,
  EdgeHeartbeat,
  EdgeIdentity,
  EdgeRegistration,
  PrepareOrder,
} from '../wire/edge-registration.ts';

/** An answer of an edge to a {@link PrepareOrder}. */
export interface EdgeAnswer {
  readonly runId: string;
  readonly instanceId: string;
  readonly revision: number;
}

/** A telemetry batch as it came. */
export interface ReceivedBatch {
  readonly runId: string;
  readonly seq: number;
  readonly eventCount: number;
  readonly tables: Uint8Array;
}

/** Says things to a connected edge. After the connection is gone it says them to nobody. */
export interface EdgeChannel {
  prepare(order: PrepareOrder): void;
  makeReady(runId: string): void;
  /** In the hive's clock, microseconds since 1970. */
  start(runId: string, startAtUs: number): void;
  stop(runId: string, isAbort: boolean, reason: string): void;
  /** The edge ends, and does not come back. */
  evict(reason: string): void;
  /** Ends the connection; the edge may come back. */
  close(reason: string): void;
  /** What is wrong with the edge's certificate by now; undefined when nothing is, or where none are used. */
  certificateFault(): string | undefined;
}

/** Hears what a connected edge says. */
export interface EdgeListener {
  heartbeat(heartbeat: EdgeHeartbeat): void;
  acked(answer: EdgeAnswer): void;
  nacked(answer: EdgeAnswer, code: string, reason: string): void;
  progressed(progress: EdgeProgress): void;
  /** A better estimate of the edge's clock. */
  clock(offset: ClockOffset): void;
  /** Once; nothing is heard after it. */
  closed(): void;
}

/** Why an edge was turned away. */
export interface EdgeRefusal {
  /** As it said itself; it may be anybody. */
  readonly edgeId: string;
  /** Where the call came from, as gRPC names it. */
  readonly peer: string;
  readonly error: DomainError;
}

/** What the hive does for edges that call it. */
export abstract class EdgeGateway {
  abstract readonly version: string;
  abstract readonly heartbeatIntervalMs: number;
  /** Of one edge, batches that may be under way. */
  abstract readonly batchCredit: number;
  /** Throws EDGE_EVICTED, TOO_BUSY, NO_DISK_SPACE. */
  abstract register(identity: EdgeIdentity): Promise<EdgeRegistration>;
  abstract deregister(credential: EdgeCredential): Promise<void>;
  /** Throws EDGE_EVICTED when the credential is not that of the current registration. */
  abstract admit(credential: EdgeCredential): EdgeRegistration;
  /** An edge was turned away: at its registration, or when it opened a stream. */
  abstract refused(refusal: EdgeRefusal): void;
  abstract connect(registration: EdgeRegistration, channel: EdgeChannel): EdgeListener;
  /** Resolves when the batch is on disk; a rejection says that it never will be. */
  abstract receiveBatch(registration: EdgeRegistration, batch: ReceivedBatch): Promise<void>;
}
