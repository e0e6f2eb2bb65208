import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../cluster/target/endpoint-counters.ts';
import { failed, refused } from './own-answer.ts';

const REFUSAL = { kind: 'overloaded', limit: 'max_requests', max: 1 } as const;

describe('refused', () => {
  it('names the limit to local and trusted peers', () => {
    expect(refused(REFUSAL, 'api', true).headers).toEqual([
      'x-plexus-overloaded',
      'max_requests cluster=api limit=1',
    ]);
  });

  it('names neither the cluster nor the limit to other peers', () => {
    expect(refused(REFUSAL, 'api', false)).toEqual({ statusCode: 503, text: 'overloaded' });
  });
});

it.each<[Outcome, number, RegExp]>([
  ['connect_failure', 502, /could not be reached/],
  ['not_sent', 503, /proxy cannot forward more/],
  ['reset', 502, /no valid response/],
])('answers an outcome of %s by %d and a reason', (outcome, statusCode, text) => {
  expect(failed(outcome)).toEqual({ statusCode, text: expect.stringMatching(text) });
});
