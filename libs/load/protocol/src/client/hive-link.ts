import type { Secret } from '#platform/foundation';
import type { TlsMaterial } from '#platform/grpc';
import type { EdgeProgress } from '../wire/edge-progress.ts';
import type {
  EdgeHeartbeat,
  EdgeIdentity,
  NackCode,
  PrepareOrder,
  RateOrder,
} from '../wire/edge-registration.ts';

export interface HiveClientOptions {
  /** `host:port`. */
  readonly address: string;
  readonly identity: EdgeIdentity;
  readonly tls?: TlsMaterial | undefined;
  /** Shown to the hive with each call. */
  readonly key?: Secret | undefined;
  readonly orders: HiveOrders;
  readonly link: LinkEvents;
  /** Called before each heartbeat. */
  readonly heartbeat: () => EdgeHeartbeat;
  /** Limit in bytes of the held, unacknowledged telemetry. Default 64 MiB. */
  readonly heldBytesMax?: number;
  /** A silent hive is detected after twice this time. Default 5 s. */
  readonly keepaliveMs?: number;
  /** The edge's clock, microseconds since 1970. */
  readonly nowUs?: () => number;
}

/**
 * The orders of the hive to an edge. After a reconnect the hive repeats orders whose arrival is uncertain, so
 * each order must be idempotent, by run id and revision.
 */
export interface HiveOrders {
  /**
   * Check everything, then `ack` or `nack` the order. A later revision replaces an earlier one. The same
   * revision is repeated after a reconnect, and periodically after a `nack`, which requires a new check.
   */
  prepare(order: PrepareOrder): void;
  /** Deploy, pin the start block, read start balances, sign ahead; then report the progress `ready`. */
  makeReady(runId: string, setupJson: string): void;
  /**
   * `startAtUs` is the intended time of the first transaction by the edge's clock, microseconds since 1970.
   */
  start(runId: string, startAtUs: number): void;
  /** A number that is known is ignored. */
  changeRate(order: RateOrder): void;
  /** Ends the run: drains, settles and reports `done`; if `isAbort`, without settling and verification. */
  stop(runId: string, isAbort: boolean, reason: string): void;
}

/** Changes of the connection. */
export interface LinkEvents {
  connected(): void;
  /** The connection is lost. The client reconnects with back-off and jitter. */
  disconnected(reason: string): void;
  /** Another edge has taken this id, or the hive has removed it. Final: the edge must exit non-zero. */
  evicted(reason: string): void;
  /** The hive has rejected these batches for good (`RUN_ENDED`, `NO_DISK_SPACE`, …). They are discarded. */
  batchesRefused(runId: string, code: string, events: number): void;
}

/** Encoded columns of events; see docs/formats/telemetry-batch.md. */
export interface TelemetryBatch {
  readonly runId: string;
  readonly eventCount: number;
  readonly tables: Uint8Array;
}

/** Batch counts of one run. */
export interface BatchTally {
  readonly sent: number;
  readonly acked: number;
  readonly refused: number;
}

/** An edge's connection to its hive, reopened after every failure until it is closed or evicted. */
export interface HiveUplink {
  /** Starts connecting and returns immediately. */
  open(): void;
  readonly isConnected: boolean;
  /** Milliseconds since the last message from the hive, or since `open` before the first message. */
  readonly silentMs: number;
  /** The hive's clock minus the edge's clock in microseconds; 0 before the first probe. */
  readonly clockOffsetUs: number;
  ack(order: PrepareOrder): void;
  nack(order: PrepareOrder, code: NackCode, reason: string): void;
  /** Sends the progress; without a connection, only the latest of a run is kept. */
  progress(progress: EdgeProgress): void;
  /** Whether one more batch can be held. */
  readonly hasRoom: boolean;
  /** Resolves when there is room for a batch or the client has ended. */
  room(): Promise<void>;
  /** Holds and sends a batch until it is acknowledged or rejected. Requires {@link hasRoom}. */
  pushTelemetry(batch: TelemetryBatch): void;
  batchTally(runId: string): BatchTally;
  /** Resolves when no batch of the run is held. Rejects if the client ends earlier. */
  flushed(runId: string): Promise<void>;
  /** Ends the streams gracefully within a few seconds. With `isLeaving`, deregisters first. */
  close(options: { readonly isLeaving: boolean }): Promise<void>;
}
