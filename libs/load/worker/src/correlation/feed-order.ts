import type { FeedEvent } from '../feed/feed-event.ts';
import type { FindingRecorder } from './finding-log.ts';

/**
 * What a sequencer promises from one message to the next: times do not go back, and the count of messages
 * read from the parent chain does not fall. Messages from the parent chain have its times, which are earlier.
 */
export class FeedOrder {
  readonly #findings: Pick<FindingRecorder, 'add'>;
  #last: Pick<FeedEvent, 'sequenceNumber' | 'delayedRead'> | undefined;
  #timestamp = 0;

  constructor(findings: Pick<FindingRecorder, 'add'>) {
    this.#findings = findings;
  }

  /** Call for each new message, in the order of arrival. */
  message({ sequenceNumber, timestamp, delayedRead, isDelayed }: FeedEvent): void {
    const last = this.#last;
    if (last !== undefined && sequenceNumber <= last.sequenceNumber) {
      // A late message, or a replacement: the order begins again with it.
      this.#last = undefined;
      this.#timestamp = 0;
    } else if (last !== undefined) this.#compare({ sequenceNumber, timestamp, delayedRead, isDelayed }, last);
    this.#last = { sequenceNumber, delayedRead: delayedRead ?? last?.delayedRead ?? null };
    if (!isDelayed) this.#timestamp = timestamp;
  }

  #compare(
    event: Pick<FeedEvent, 'sequenceNumber' | 'timestamp' | 'delayedRead' | 'isDelayed'>,
    last: Pick<FeedEvent, 'delayedRead'>,
  ): void {
    const { sequenceNumber: sequence_number, timestamp, delayedRead, isDelayed } = event;
    if (!isDelayed && timestamp < this.#timestamp) {
      const expected = `time ${this.#timestamp} or later`;
      this.#findings.add('feed_time', { sequence_number, expected, observed: `time ${timestamp}` });
    }
    if (delayedRead === null || last.delayedRead === null || delayedRead >= last.delayedRead) return;
    const expected = `at least ${last.delayedRead} messages of the parent chain read`;
    const observed = `${delayedRead} read`;
    this.#findings.add('feed_delayed_fell', { sequence_number, expected, observed });
  }
}
