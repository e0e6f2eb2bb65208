import { describe, expect, it } from '@jest/globals';
import { refused } from './own-answer.ts';

const REFUSAL = { kind: 'overloaded', limit: 'max_requests', max: 1 } as const;

describe('a refusal', () => {
  it('tells those nearby which limit it was', () => {
    expect(refused(REFUSAL, 'api', true).headers).toEqual([
      'x-plexus-overloaded',
      'max_requests cluster=api limit=1',
    ]);
  });

  it('names neither the cluster nor the limit to peers that are not trusted', () => {
    expect(refused(REFUSAL, 'api', false)).toEqual({ statusCode: 503, text: 'overloaded' });
  });
});
