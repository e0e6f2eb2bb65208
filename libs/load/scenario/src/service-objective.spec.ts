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
    [Array.from({ length: 17 }, () => 'p99<1s').join(','), 'expected at most 16'],
  ])('rejects %j', (text, message) => {
    expect(() => parseObjectives(text, true)).toThrow(message);
  });
});
