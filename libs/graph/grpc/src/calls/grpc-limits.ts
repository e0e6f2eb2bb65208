const MIB = 2 ** 20;

/** Bounds of calls; times in milliseconds. */
export class GrpcLimits {
  /** The largest message that is taken; clients take no larger ones either, unless they are told to. */
  readonly messageBytesMax: number;
  /** Of all messages of a sync together. */
  readonly syncBytesMax: number;
  /** Of records, properties and values in a sync. */
  readonly syncPartsMax = SYNC_PARTS_MAX;
  /** The longest pause between two messages of a sync, and of a reader. */
  readonly pauseMs: number;

  constructor({ bodyBytesMax, pauseMs }: { readonly bodyBytesMax: number; readonly pauseMs: number }) {
    this.messageBytesMax = Math.min(MESSAGE_BYTES_MAX, bodyBytesMax);
    this.syncBytesMax = bodyBytesMax;
    this.pauseMs = pauseMs;
  }
}

/** What gRPC's own libraries take unless they are told otherwise. */
const MESSAGE_BYTES_MAX = 4 * MIB;

const SYNC_PARTS_MAX = 2_000_000;
