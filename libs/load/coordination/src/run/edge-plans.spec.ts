import { describe, expect, it } from '@jest/globals';
import { parseScenario } from '#load/scenario';
import { scheduleLengths } from '#load/worker';
import { shareOut } from './edge-plans.ts';

describe('the schedules of all edges', () => {
  it.each([
    [1, 2],
    [5, 3],
    [250, 7],
  ])('of uniform arrivals contain %d transactions, for %d edges', async (rate, edges) => {
    const scenario = parseScenario({
      name: 'even',
      target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
      accounts: { count: 10 },
      load: { stages: [{ duration: '1s', rate }], arrival: 'uniform' },
    });
    const edgeIds = Array.from({ length: edges }, (_, index) => `edge-${index}`);

    for (let randomSeed = 0; randomSeed < 20; randomSeed++) {
      const facts = { runId: 'r-1', scenario, randomSeed, firstAccount: 0, funderAddress: null };
      let planned = 0;
      for (const { plan } of shareOut(facts, edgeIds)) {
        const [length = 0] = (plan && (await scheduleLengths(plan))) ?? [];
        planned += length;
      }

      expect(planned).toBe(rate);
    }
  });
});
