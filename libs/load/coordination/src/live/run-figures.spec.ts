import { describe, expect, it } from '@jest/globals';
import { deflateSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { type EdgeProgress, type Tally, ZERO_TALLY } from '#load/protocol';
import {
  abortingThreshold,
  evaluateThresholds,
  parseScenario,
  type RunThreshold,
  type ThresholdMetric,
  thresholdsOf,
} from '#load/scenario';
import { decodeHistogram } from './latency-histogram.ts';
import { RunFigures } from './run-figures.ts';

const NOTHING = { measuredSeconds: 0, feedContradictions: 0 };

function histogram(valuesUs: readonly number[]): Uint8Array {
  const own = build({ bitBucketSize: 32, numberOfSignificantValueDigits: 3, autoResize: true });
  for (const value of valuesUs) own.recordValue(value);
  return Buffer.from(encodeIntoCompressedBase64(own), 'base64');
}

function progress(tally: Partial<Tally>, histograms: Record<string, Uint8Array> = {}): EdgeProgress {
  const counted = { ...ZERO_TALLY, ...tally };
  return { runId: 'r', phase: 'running', reason: '', tally: counted, measured: counted, histograms };
}

/** The value of a metric that is decided; null without data. */
function valueIn(figures: RunFigures, metric: ThresholdMetric): number | null {
  const bounds = figures.boundsOf(metric);
  expect(bounds?.atLeast).toBe(bounds?.atMost);
  return bounds === null ? null : bounds.atMost;
}

function threshold(more: Partial<RunThreshold>): RunThreshold {
  return { metric: 'tx_failed_ratio', abort_on_fail: false, after: 0, isDefault: false, ...more };
}

describe('RunFigures', () => {
  it('sums the tallies of the edges', () => {
    const figures = new RunFigures(
      [
        progress({ planned: 100, sent: 90, notSent: 10, included: 80, failedUnexpected: 3 }),
        progress({
          planned: 100,
          sent: 60,
          notSent: 40,
          included: 60,
          failedUnexpected: 0,
          eventsDropped: 7,
        }),
      ],
      { measuredSeconds: 10, feedContradictions: 0 },
    );

    expect(figures.tally).toMatchObject({ planned: 200, sent: 150, notSent: 50, eventsDropped: 7 });
    expect(valueIn(figures, 'tx_failed_ratio')).toBe(0.02);
    expect(valueIn(figures, 'achieved_rate_ratio')).toBe(0.75);
    expect(valueIn(figures, 'included_per_second')).toBe(14);
    expect(valueIn(figures, 'not_sent')).toBe(50);
  });

  it('merges latency histograms of different ranges', () => {
    const fast = histogram(Array.from({ length: 90 }, () => 1_000));
    const slow = histogram(Array.from({ length: 10 }, () => 5_000_000));
    const figures = new RunFigures(
      [fast, slow].map((one) => progress({}, { intended_feed: one })),
      { measuredSeconds: 1, feedContradictions: 0 },
    );

    expect(valueIn(figures, 'feed_latency_p90_ms')).toBeCloseTo(1, 2);
    expect(valueIn(figures, 'feed_latency_p99_ms')).toBeCloseTo(5_000, -1);
    expect(figures.latencies()).toMatchObject({ feed_latency: { count: 100 } });
    expect(figures.latencies()['ack_latency']).toBeUndefined();
  });

  it('returns null for metrics without measurements', () => {
    const figures = new RunFigures([progress({}, { send_ack: histogram([]) })], NOTHING);

    for (const metric of ['tx_failed_ratio', 'included_per_second', 'ack_latency_p50_ms'] as const) {
      expect(valueIn(figures, metric)).toBeNull();
    }
  });
});

describe('decodeHistogram', () => {
  it('does not throw for hostile bytes, and rejects a decompression bomb', () => {
    const good = histogram([1, 2, 3]);
    const head = good.subarray(0, 8);
    const payload = inflateSync(good.subarray(8));
    const edits = fc.array(fc.tuple(fc.nat(payload.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), edits, (bytes, changes) => {
        const changed = Uint8Array.from(payload);
        for (const [at, byte] of changes) changed[at] = byte;

        for (const hostile of [bytes, Buffer.concat([head, deflateSync(changed)])]) decodeHistogram(hostile);
      }),
      { numRuns: 2_000 },
    );
    const bomb = Buffer.concat([good.subarray(0, 8), deflateSync(new Uint8Array(50_000_000))]);
    expect(decodeHistogram(bomb)).toBeUndefined();
  });
});

describe('thresholds', () => {
  const figures = new RunFigures([progress({ planned: 100, sent: 100, failedUnexpected: 2 })], NOTHING);
  const boundsOf = figures.boundsOf.bind(figures);

  it.each([
    [{ max: 0.02 }, true],
    [{ max: 0.019 }, false],
    [{ min: 0.02 }, true],
    [{ min: 0.03 }, false],
    [{ metric: 'ack_latency_p99_ms', max: 9 }, false],
  ] as const)('%j is met: %j', (more, isMet) => {
    expect(evaluateThresholds([threshold(more)], boundsOf)).toMatchObject([{ isMet }]);
  });

  it('cover only the stages that are not excluded', () => {
    const tally = {
      ...ZERO_TALLY,
      planned: 500,
      sent: 400,
      notSent: 100,
      failedUnexpected: 121,
      ackedLost: 9,
    };
    const measured = { ...ZERO_TALLY, planned: 300, sent: 300, feedGaps: 1, feedDuplicates: 2 };
    const own = new RunFigures([{ ...progress({}), tally, measured }], {
      measuredSeconds: 3,
      feedContradictions: 4,
    });

    expect(valueIn(own, 'tx_failed_ratio')).toBe(0);
    expect(valueIn(own, 'achieved_rate_ratio')).toBe(1);
    expect(valueIn(own, 'tx_lost')).toBe(0);
    expect(valueIn(own, 'feed_anomalies')).toBe(7);
  });

  it('are those of the scenario, with defaults for four metrics without a threshold', () => {
    const scenarioWith = (more: object) =>
      parseScenario({
        name: 'x',
        target: { chain_id: 31_337, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
        accounts: { count: 1 },
        load: { stages: [{ duration: '1s', rate: 1 }] },
        ...more,
      });
    const told = (more: object): readonly unknown[] =>
      thresholdsOf(scenarioWith(more)).map(({ metric, min, max, isDefault }) => {
        return [metric, min ?? max, isDefault];
      });
    const loose = [{ metric: 'tx_lost', max: 5 }];
    const closed = { model: 'closed', users: 1, stages: [{ duration: '1s' }] };

    expect(told({ thresholds: loose })).toEqual([
      ['tx_lost', 5, false],
      ['tx_failed_ratio', 0.01, true],
      ['achieved_rate_ratio', 0.98, true],
      ['feed_anomalies', 0, true],
    ]);
    expect(told({ load: closed }).flat()).not.toContain('achieved_rate_ratio');
    expect(told({ correlation: { feed: 'off' } }).flat()).not.toContain('feed_anomalies');
  });

  it('are missed without measurements if the scenario sets them, while defaults stay undecided', () => {
    const [own, byDefault] = evaluateThresholds([threshold({}), threshold({ isDefault: true })], () => null);

    expect([own?.isMet, byDefault?.isMet]).toEqual([false, null]);
  });

  it('have no value for losses while acknowledged transactions are undecided', () => {
    const tally = { ...ZERO_TALLY, sent: 9, unknown: 3, ackedUndecided: 3 };
    const own = new RunFigures([{ ...progress({}), tally, measured: tally }], {
      measuredSeconds: 3,
      feedContradictions: 0,
    });
    const strict = threshold({ metric: 'tx_lost', max: 0 });

    expect(evaluateThresholds([strict], (metric) => own.boundsOf(metric))).toMatchObject([
      { value: null, isMet: null },
    ]);
  });

  it.each([
    { which: 'ackedUndecided', rejected: 0, undecided: 1, isMet: true, value: 0.01 },
    { which: 'ackedUndecided', rejected: 10, undecided: 30, isMet: false, value: 0.1 },
    { which: 'ackedUndecided', rejected: 1, undecided: 30, isMet: null, value: null },
    { which: 'edgeStarved', rejected: 10, undecided: 30, isMet: false, value: 0.1 },
    { which: 'edgeStarved', rejected: 1, undecided: 30, isMet: null, value: null },
  ])('are missed or met only whatever the undecided are: %j', (given) => {
    const { which, rejected, undecided, isMet, value } = given;
    const tally = {
      ...ZERO_TALLY,
      sent: 100,
      unknown: undecided,
      [which]: undecided,
      rejectedUnexpected: rejected,
      failedUnexpected: rejected + undecided,
    };
    const own = new RunFigures([{ ...progress({}), tally, measured: tally }], NOTHING);

    const outcomes = evaluateThresholds([threshold({ max: 0.05 })], (metric) => own.boundsOf(metric));
    expect(outcomes).toMatchObject([{ isMet, value }]);
  });

  it('abort if they are due, missed, and set to abort', () => {
    const missed = threshold({ max: 0.01, abort_on_fail: true, after: 5_000 });

    expect(abortingThreshold([missed], boundsOf, 5_000)?.threshold).toBe(missed);
    expect(abortingThreshold([missed], boundsOf, 4_999)).toBeUndefined();
    expect(abortingThreshold([{ ...missed, abort_on_fail: false }], boundsOf, 9_999)).toBeUndefined();
    expect(abortingThreshold([{ ...missed, metric: 'ack_latency_p50_ms' }], boundsOf, 9_999)).toBeUndefined();
  });
});
