import { describe, expect, it } from '@jest/globals';
import { ResponseHead, switchingHead } from './response-head.ts';

const OVERLOADED = ['X-Plexus-Overloaded', 'max_requests cluster=api limit=1'];

describe('ResponseHead', () => {
  it('keeps the limits of a cluster apart from the headers', () => {
    const head = new ResponseHead(503, ['Server', 'x', ...OVERLOADED, 'X-Plexus-Overload', 'y']);

    expect(head.headers).toEqual(['Server', 'x', 'X-Plexus-Overload', 'y']);
    expect(head.overloaded).toBe('max_requests cluster=api limit=1');
  });

  it('of a protocol change has no limits', () => {
    expect(switchingHead(['Server', 'x', ...OVERLOADED])).toMatch(/^Server: x\r\n\r\n/m);
  });
});
