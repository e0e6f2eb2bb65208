const MIB = 2 ** 20;

/** Limits of calls; times in milliseconds. */
export class GrpcLimits {
  /** Maximum size of a received message; also the default of clients. */
  readonly messageBytesMax: number;
  /** Maximum total size of the messages of a sync. */
  readonly syncBytesMax: number;
  /** Maximum number of records, properties and values in a sync. */
  readonly syncPartsMax = SYNC_PARTS_MAX;
  /** Maximum pause between two messages of a sync, and of a reader. */
  readonly pauseMs: number;

  constructor({ bodyBytesMax, pauseMs }: { readonly bodyBytesMax: number; readonly pauseMs: number }) {
    this.messageBytesMax = Math.min(MESSAGE_BYTES_MAX, bodyBytesMax);
    this.syncBytesMax = bodyBytesMax;
    this.pauseMs = pauseMs;
  }
}

/** The default message size of gRPC libraries. */
const MESSAGE_BYTES_MAX = 4 * MIB;

const SYNC_PARTS_MAX = 2_000_000;
