const MIB = 2 ** 20;
const KIB = 2 ** 10;
const HELD_MESSAGES = 16;

/** Limits of connections; times in milliseconds. */
export class BoltLimits {
  readonly connectionsMax: number = 1_024;
  /** Maximum size of a message before its client has shown its credentials. */
  readonly strangerBytesMax: number = 64 * KIB;
  /** Maximum size of a message. */
  readonly messageBytesMax: number;
  /** Maximum size of the messages of all connections that have arrived and are not answered. */
  readonly heldBytesMax: number;
  /** Time to choose a version and to show credentials. */
  readonly admissionMs: number = 30_000;
  /** Maximum pause of a client that has replies to read. */
  readonly stallMs: number = 60_000;
  /** Maximum duration of a transaction. */
  readonly transactionMs: number;

  constructor({
    bodyBytesMax,
    transactionMs,
  }: {
    readonly bodyBytesMax: number;
    readonly transactionMs: number;
  }) {
    this.messageBytesMax = Math.max(MIB, bodyBytesMax);
    this.heldBytesMax = HELD_MESSAGES * this.messageBytesMax;
    this.transactionMs = transactionMs;
  }
}
