import type { EventBuffer, FindingKind, RowOf } from '#load/telemetry';
import type { MicroClock } from '#platform/foundation';

export type FindingFacts = Partial<Omit<RowOf<'findings'>, 'at_us' | 'kind'>>;

const NOTHING = {
  account: null,
  receiver: null,
  hash: null,
  nonce: null,
  block_number: null,
  sequence_number: null,
  expected: null,
  observed: null,
  receipt_json: null,
};

/** The findings of a run: contradictions, and transactions of other senders. */
export class FindingRecorder {
  readonly #events: EventBuffer;
  readonly #clock: MicroClock;

  constructor(events: EventBuffer, clock: MicroClock) {
    this.#events = events;
    this.#clock = clock;
  }

  add(kind: FindingKind, facts: FindingFacts = {}): void {
    this.#events.record('findings', { at_us: this.#clock.nowUs(), kind, ...NOTHING, ...facts });
  }
}
