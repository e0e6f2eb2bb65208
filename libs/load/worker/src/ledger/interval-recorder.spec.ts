import { describe, expect, it } from '@jest/globals';
import { decodeTables, EventBuffer } from '#load/telemetry';
import { MicroClock } from '#platform/foundation';
import { FindingRecorder } from '../correlation/finding-log.ts';
import { AddressBook } from '../plan/account-keys.ts';
import { IntervalRecorder } from './interval-recorder.ts';
import { Latencies } from './latencies.ts';
import { Ledger } from './ledger.ts';
import { RunFacts } from './run-facts.ts';
import { FeedTally, LoadCounters } from './tally.ts';

const WARM_UP = { name: 'warm-up', durationMs: 1, startRate: 1, endRate: 1, exclude: true };
const STAGES = [WARM_UP, { ...WARM_UP, name: 'measured', exclude: false }];
const [FIRST, SECOND] = [0, 1];

class Recording {
  readonly counters = new LoadCounters();
  readonly feed = new FeedTally(this.counters, STAGES);
  readonly #events = new EventBuffer();
  readonly #intervals: IntervalRecorder;
  #nowUs = 0;

  constructor() {
    const { counters, feed } = this;
    const events = this.#events;
    const book = new AddressBook(0, new Uint8Array(20));
    const latencies = new Latencies(STAGES.map(({ exclude }) => exclude));
    const ledger = new Ledger({
      facts: new RunFacts({ stages: STAGES, blueprints: [], book, nonces: [0] }),
      events,
      findings: new FindingRecorder(events, new MicroClock()),
      counters,
      latencies,
      correlation: { timeoutMs: 1, feed: 'per_edge' },
    });
    this.#intervals = new IntervalRecorder({ ledger, latencies, events, feed }, 0);
  }

  receive(messages: number, stage: number): void {
    this.counters.feedMessages += messages;
    this.feed.count(stage);
  }

  tick(stage: number): void {
    this.#intervals.record(stage, ++this.#nowUs);
  }

  /** Stage and feed messages of each row. */
  rows(): readonly (readonly [number, number])[] {
    this.#intervals.close();
    const rows: [number, number][] = [];
    for (let batch = this.#events.takeBatch(); batch !== undefined; batch = this.#events.takeBatch()) {
      for (const table of decodeTables(batch.bytes)) {
        if (table.table !== 'intervals') continue;
        const { stage, feed_messages: messages } = table.columns;
        for (const [at, index] of stage.values.entries()) rows.push([index, messages.values[at] ?? NaN]);
      }
    }
    return rows;
  }
}

describe('IntervalRecorder', () => {
  it('has the messages of an interval across two stages in the row of each', () => {
    const recording = new Recording();

    recording.receive(3, FIRST);
    recording.receive(4, SECOND);
    recording.tick(SECOND);
    recording.tick(SECOND);

    expect(recording.rows()).toEqual([
      [FIRST, 3],
      [SECOND, 4],
      [SECOND, 0],
    ]);
    expect(recording.feed.measured.feedMessages).toBe(4);
    expect(recording.feed.total.feedMessages).toBe(7);
  });

  it('has what no message follows in the stage of the tick', () => {
    const recording = new Recording();

    recording.counters.feedMessages += 2;
    recording.tick(FIRST);
    recording.receive(1, SECOND);
    recording.tick(SECOND);

    expect(recording.rows()).toEqual([
      [FIRST, 2],
      [SECOND, 1],
    ]);
    expect(recording.feed.measured.feedMessages).toBe(1);
  });

  it('counts nothing after the close of the tally', () => {
    const recording = new Recording();

    recording.receive(1, SECOND);
    recording.feed.close();
    recording.receive(5, SECOND);
    recording.tick(SECOND);

    expect(recording.rows()).toEqual([[SECOND, 1]]);
  });
});
