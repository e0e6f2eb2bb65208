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

describe('the plans of all edges', () => {
  it.each([1, 50])('read the interface of a contract as often for %d edges as for one', (edges) => {
    const scenario = parseScenario({
      name: 'calls',
      target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
      accounts: { count: 100 },
      load: { stages: [{ duration: '1s', rate: 10 }] },
      contracts: { nft: { at: `0x${'1'.repeat(40)}`, abi: ['function mint(address to)'] } },
      mix: [{ kind: 'call', weight: 1, contract: 'nft', function: 'mint', args: [{ account: 'self' }] }],
    });
    let readings = 0;
    const abi = scenario.contracts['nft']?.abi;
    const nft = Object.defineProperty({ ...scenario.contracts['nft'] }, 'abi', {
      get: () => {
        readings++;
        return abi;
      },
    }) as (typeof scenario.contracts)[string];
    const facts = {
      runId: 'r-1',
      scenario: { ...scenario, contracts: { nft } },
      randomSeed: 0,
      firstAccount: 0,
      funderAddress: null,
    };

    const shares = shareOut(
      facts,
      Array.from({ length: edges }, (_, index) => `edge-${index}`),
    );

    expect(shares.every(({ plan }) => plan?.mix[0]?.call?.declaration === 'function mint(address to)')).toBe(
      true,
    );
    // One for the call, one for the errors.
    expect(readings).toBe(2);
  });
});
