import { describe, expect, it } from '@jest/globals';
import { heartbeatFromWire } from './edge-wire.ts';

describe('heartbeatFromWire', () => {
  it('bounds the texts that the hive keeps', () => {
    const wire = { rpc: null, feed: null, currentRunId: 'r'.repeat(100_000), samples: [] };

    expect(heartbeatFromWire(wire).currentRunId.length).toBeLessThan(1_000);
  });
});
