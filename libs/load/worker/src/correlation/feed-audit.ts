import { FEED_FLAGS } from '#load/telemetry';
import type { FeedEvent } from '../feed/feed-event.ts';
import { FeedCheck, type FeedCheckOptions, type ComparedBlock } from './feed-check.ts';
import { FeedOrder } from './feed-order.ts';
import type { FindingRecorder } from './finding-log.ts';

export interface FeedAuditOptions {
  readonly findings: Pick<FindingRecorder, 'add'>;
  readonly isOwn: FeedCheckOptions['isOwn'];
  readonly start: FeedCheckOptions['start'];
  /** The required signer of every message; undefined: signatures are not checked. */
  readonly signer: string | undefined;
  /** Whether there is a feed to compare with the blocks. */
  readonly hasFeed: boolean;
}

/** All checks of a feed: against its signer, against itself, and against the chain. */
export class FeedAudit {
  readonly #options: FeedAuditOptions;
  readonly #check: FeedCheck;
  readonly #order: FeedOrder;
  #isConfirmedAhead = false;

  constructor(options: FeedAuditOptions) {
    const { findings, isOwn, start } = options;
    this.#options = options;
    this.#order = new FeedOrder(findings);
    this.#check = new FeedCheck({
      start,
      isOwn,
      onFinding: (kind, found) => {
        findings.add(kind, found);
      },
    });
  }

  /** After {@link end}: whether the feed contained block hashes that could not be confirmed. */
  get hasUnconfirmed(): boolean {
    return this.#check.hasUnconfirmed;
  }

  /** Whether the blocks of all messages up to {@link endDrain} were read. */
  get isCaughtUp(): boolean {
    return !this.#options.hasFeed || this.#check.isCaughtUp;
  }

  message(event: FeedEvent): void {
    const { sequenceNumber, flags, wrongSigner } = event;
    const { signer = '', findings } = this.#options;
    if (wrongSigner !== null) {
      const expected = `signed by ${signer.toLowerCase()}`;
      const observed = `signed by ${wrongSigner},`;
      findings.add('feed_signature', { sequence_number: sequenceNumber, expected, observed });
    }
    if ((flags & (FEED_FLAGS.duplicate | FEED_FLAGS.backlog)) !== 0) return;
    this.#order.message(event);
    this.#check.message(event);
  }

  /** The feed has confirmed a message that it has not sent. Reported once. */
  confirmedAhead(confirmed: number, last: number): void {
    if (this.#isConfirmedAhead) return;
    this.#isConfirmedAhead = true;
    const expected = `at most ${last}, the last message sent`;
    this.#options.findings.add('feed_confirmed_ahead', { expected, observed: `${confirmed} confirmed` });
  }

  /** The block number of a message; null if it is unknown. */
  blockOf(sequence: number): number | null {
    return this.#check.blockOf(sequence);
  }

  block(block: ComparedBlock): void {
    if (this.#options.hasFeed) this.#check.block(block);
  }

  replaced(blockNumber: number): void {
    this.#check.replaced(blockNumber);
  }

  /** Later messages may belong to blocks that are not read any more. */
  endDrain(): void {
    this.#check.endDrain();
  }

  /** Call after the last block. */
  end(): void {
    if (this.#options.hasFeed) this.#check.end();
  }
}
