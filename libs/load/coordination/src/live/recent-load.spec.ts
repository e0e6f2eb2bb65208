import { describe, expect, it } from '@jest/globals';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { type Tally, ZERO_TALLY } from '#load/protocol';
import { type LoadLook, RecentLoad } from './recent-load.ts';
import { RunFigures } from './run-figures.ts';

const S = 1_000_000;
const SURROUNDINGS = { measuredSeconds: 0, feedContradictions: 0 };

function figuresOf(tally: Tally, latenciesMs: readonly number[]): RunFigures {
  const own = build({ bitBucketSize: 32, numberOfSignificantValueDigits: 3, autoResize: true });
  for (const ms of latenciesMs) own.recordValue(ms * 1_000);
  const histograms = { intended_feed: Buffer.from(encodeIntoCompressedBase64(own), 'base64') };
  const said = { runId: 'r', phase: 'running' as const, reason: '', tally, measured: tally, histograms };
  return new RunFigures([said], SURROUNDINGS);
}

function lookOf(
  sent: number,
  failed = 0,
  latenciesMs: readonly number[] = [],
): Omit<LoadLook, 'runId' | 'atUs'> {
  const tally = { ...ZERO_TALLY, planned: sent, sent, included: sent - failed, rejected: failed };
  return {
    elapsedS: sent / 100,
    figures: figuresOf(tally, latenciesMs),
    edges: [{ edgeId: 'a', tally }],
    failures: new Map([['nonce_too_low', failed]]),
  };
}

describe('RecentLoad', () => {
  it('is empty before the first sample', () => {
    expect(new RecentLoad().of('r')).toEqual({
      run_id: 'r',
      latency: null,
      points: [],
      edges: [],
      latencies: {},
      failures: [],
    });
  });

  it('returns the rates between samples, in total and by edge, and failures by class', () => {
    const recent = new RecentLoad();

    recent.note('r', 0, () => lookOf(1_000, 7));
    recent.note('r', 5 * S, () => lookOf(1_500, 10));
    const { points, edges, failures } = recent.of('r');

    expect(points).toMatchObject([{ elapsed_s: 15, sent_rate: 100, rejected_rate: 0.6, p99_ms: null }]);
    expect(edges).toMatchObject([{ edge_id: 'a', sent_rate: 100, included_rate: 99.4 }]);
    expect(failures).toEqual([{ class: 'nonce_too_low', count: 3 }]);
  });

  it('returns latencies of the values between samples, not since the start', () => {
    const recent = new RecentLoad();
    const early = Array.from({ length: 1_000 }, () => 900);
    const late = Array.from({ length: 100 }, (_, i) => 10 + i);

    recent.note('r', 0, () => lookOf(0, 0, early));
    recent.note('r', 5 * S, () => lookOf(100, 0, [...early, ...late]));
    const { latency, latencies, points } = recent.of('r');

    const { count, p50_ms: p50 = 0, p99_ms: p99 = 0 } = latencies['feed_latency'] ?? {};
    expect([latency, count]).toEqual(['feed_latency', 100]);
    expect([p50 >= 59 && p50 <= 66, p99 >= 108 && p99 <= 120]).toEqual([true, true]);
    expect(points[0]?.p99_ms).toBe(p99);
  });

  it('skips samples in quick succession, and drops samples older than a minute', () => {
    const recent = new RecentLoad();
    let looks = 0;
    const look = () => lookOf(++looks * 100);

    for (const at of [0, 0.1, 0.5]) recent.note('r', at * S, look);
    for (let second = 1; second <= 100; second++) recent.note('r', second * S, look);

    expect(looks).toBe(101);
    expect(recent.of('r').points).toHaveLength(60);
  });

  it('keeps the samples of runs that go on together apart', () => {
    const recent = new RecentLoad();
    recent.note('r', 0, () => lookOf(5_000));
    recent.note('s', 0.2 * S, () => lookOf(10));

    recent.note('r', 5 * S, () => lookOf(5_500));
    recent.note('s', 5.2 * S, () => lookOf(60));

    expect(recent.of('r').points).toMatchObject([{ sent_rate: 100 }]);
    expect(recent.of('s').points).toMatchObject([{ sent_rate: 10 }]);
  });
});
