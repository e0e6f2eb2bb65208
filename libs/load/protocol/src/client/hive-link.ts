import type { TlsMaterial } from '#platform/grpc';
import type { EdgeProgress } from '../wire/edge-progress.ts';
import type { EdgeHeartbeat, EdgeIdentity, NackCode, PrepareOrder } from '../wire/edge-registration.ts';

export interface HiveClientOptions {
  /** `host:port`. */
  readonly address: string;
  readonly identity: EdgeIdentity;
  readonly tls?: TlsMaterial | undefined;
  readonly orders: HiveOrders;
  readonly link: LinkEvents;
  /** Asked for before each heartbeat. */
  readonly heartbeat: () => EdgeHeartbeat;
  /** Telemetry that the hive has not acknowledged is held up to so many bytes. Default 64 MiB. */
  readonly heldBytesMax?: number;
  /** A silent hive is noticed after twice that. Default 5 s. */
  readonly keepaliveMs?: number;
  /** The edge's clock, microseconds since 1970. */
  readonly nowUs?: () => number;
}

/**
 * What the hive wants of an edge. After a reconnect the hive repeats orders that it cannot know to have
 * arrived, so each must be taken twice without harm: by run id and revision.
 */
export interface HiveOrders {
  /**
   * Check everything, then `ack` or `nack` the order. A later revision replaces an earlier one. The same
   * comes again after a reconnect, and now and then after a `nack`: then what was refused is checked anew.
   */
  prepare(order: PrepareOrder): void;
  /** Deploy, pin the start block, read start balances, sign ahead; then progress says `ready`. */
  makeReady(runId: string): void;
  /** The first transaction is intended at this time of the edge's own clock, microseconds since 1970. */
  start(runId: string, startAtUs: number): void;
  /** Transactions a second of this edge, in place of the stages' rates; 0 returns to the stages. */
  /** Aborted: no settling, no verification. Else drain, settle, be done. */
  stop(runId: string, isAbort: boolean, reason: string): void;
}

/** What becomes of the connection. */
export interface LinkEvents {
  connected(): void;
  /** It is tried again, with back-off and jitter. */
  disconnected(reason: string): void;
  /** Another edge has taken this id, or the hive has removed it. Nothing is tried again: end non-zero. */
  evicted(reason: string): void;
  /** The hive will never take these batches (`RUN_ENDED`, `NO_DISK_SPACE`, …): they are let go. */
  batchesRefused(runId: string, code: string, events: number): void;
}

/** Columns of events, encoded; see docs/formats/telemetry-batch.md. */
export interface TelemetryBatch {
  readonly runId: string;
  readonly eventCount: number;
  readonly tables: Uint8Array;
}

/** Of the batches of one run. */
export interface BatchTally {
  readonly sent: number;
  readonly acked: number;
  readonly refused: number;
}

/** An edge's connection to its hive: opened again whenever it breaks, until it is closed or evicted. */
export interface HiveUplink {
  /** Begins to connect, and returns at once. */
  open(): void;
  readonly isConnected: boolean;
  /** Milliseconds since the hive was last heard; since `open` when it never was. */
  readonly silentMs: number;
  /** The hive's clock less the edge's own, microseconds; 0 before the first probe. */
  readonly clockOffsetUs: number;
  ack(order: PrepareOrder): void;
  nack(order: PrepareOrder, code: NackCode, reason: string): void;
  /** While the hive is away, only the latest of a run is kept. */
  progress(progress: EdgeProgress): void;
  /** Whether one more batch can be held. */
  readonly hasRoom: boolean;
  /** Resolves when there is room for a batch, or the client ends. */
  room(): Promise<void>;
  /** Takes a batch, which is sent until it is acknowledged or refused. Only while {@link hasRoom}. */
  pushTelemetry(batch: TelemetryBatch): void;
  batchTally(runId: string): BatchTally;
  /** Resolves when no batch of the run is held any more; rejects when the client ends before. */
  flushed(runId: string): Promise<void>;
  /** Ends the streams in good order, within a few seconds; `isLeaving`: deregisters first. */
  close(options: { readonly isLeaving: boolean }): Promise<void>;
}
