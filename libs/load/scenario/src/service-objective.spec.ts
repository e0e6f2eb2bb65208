import { describe, expect, it } from '@jest/globals';
import { parseObjectives } from './service-objective.ts';

describe('objectives as text', () => {
  it('are thresholds in the units of the metrics', () => {
    expect(
      parseObjectives(
        'p99<500ms, failed<1%,p50 <= 0.2s,ack_latency_max_ms<90ms,included_per_second>10',
        true,
      ),
    ).toEqual([
      { metric: 'feed_latency_p99_ms', max: 500 },
      { metric: 'tx_failed_ratio', max: 0.01 },
      { metric: 'feed_latency_p50_ms', max: 200 },
      { metric: 'ack_latency_max_ms', max: 90 },
      { metric: 'included_per_second', min: 10 },
    ]);
  });

  it('may bound a metric on both sides', () => {
    expect(parseObjectives('achieved>98%,achieved<=100%', true)).toEqual([
      { metric: 'achieved_rate_ratio', min: 0.98 },
      { metric: 'achieved_rate_ratio', max: 1 },
    ]);
  });

  it('count to the block where no feed is read', () => {
    expect(parseObjectives('p99<1s', false)).toEqual([{ metric: 'block_latency_p99_ms', max: 1_000 }]);
  });

  it.each([
    ['', 'expected an objective such as p99<500ms'],
    ['p99', 'expected an objective'],
    ['p99<500', 'p99<500: expected a time in ms or s'],
    ['failed<5ms', 'failed<5ms: expected a number or a share in %'],
    ['p98<5ms', 'p98: expected a metric: did you mean p90?'],
    ['p99<-1ms', 'expected an objective'],
    ['p99<1e9ms', 'expected an objective'],
    ['failed<200%', 'failed<200%: expected a share of at most 100%'],
    ['failed<1%,p99<1s,failed<=2%', 'failed<=2%: expected one bound, got failed<1% before it'],
    ['p99<1s,feed_latency_p99_ms<2s', 'feed_latency_p99_ms<2s: expected one bound, got p99<1s before it'],
    [Array.from({ length: 17 }, () => 'p99<1s').join(','), 'expected at most 16'],
  ])('rejects %j', (text, message) => {
    expect(() => parseObjectives(text, true)).toThrow(message);
  });
});
