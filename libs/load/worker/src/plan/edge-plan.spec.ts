import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '#platform/foundation';
import { parseEdgePlan } from './edge-plan.ts';

const PLAN = {
  runId: 'r',
  edgeId: 'e',
  seed: { fixed: 'development' },
  chainId: 412_346,
  rpcUrls: ['http://127.0.0.1:8547'],
  feedUrl: 'ws://127.0.0.1:9642',
  rpcTimeoutMs: 15_000,
  accounts: { first: 0, count: 10, inflightPerAccount: 1, fundWei: '1', funder: null, reclaim: false },
  load: {
    model: 'open',
    stages: [{ name: 's', durationMs: 1_000, startRate: 0, endRate: 5, exclude: false }],
    arrival: 'poisson',
    maxInflight: 100,
  },
  mix: [{ kind: 'transfer', weight: 1, to: 'ring', valueWei: '1' }],
  fees: { maxFeeMultiplier: 3, gasLimit: 'estimate' },
  correlation: { timeoutMs: 10_000, feed: 'per_edge' },
  randomSeed: 1,
  telemetry: { intervalMs: 1_000 },
};

describe('parseEdgePlan', () => {
  it('returns a valid plan unchanged', () => {
    expect(parseEdgePlan(JSON.stringify(PLAN))).toEqual(PLAN);
  });

  it.each<[string, object, string]>([
    ['two seeds', { seed: { fixed: 'development', env: 'X' } }, 'seed: expected either'],
    ['no seed', { seed: {} }, 'seed: expected either'],
    ['missing users', { load: { ...PLAN.load, model: 'closed' } }, 'load.users'],
    ['a mix without weight', { mix: [{ kind: 'transfer', weight: 0 }] }, 'a weight above 0'],
    ['nothing but invalid nonces', { mix: [{ kind: 'invalid_nonce', weight: 1 }] }, 'at most 90 %'],
    [
      'accounts beyond the last number',
      { accounts: { ...PLAN.accounts, first: 2 ** 32 - 1 } },
      'below 4294967296',
    ],
    ['no feed to read', { feedUrl: undefined }, 'feedUrl'],
    ['an unknown class', { mix: [{ kind: 'transfer', weight: 1, expect: 'bad_luck' }] }, 'mix.0.expect'],
    ['an invalid receiver', { mix: [{ kind: 'transfer', weight: 1, to: '0x12' }] }, 'mix.0.to'],
    ['wei with a point', { accounts: { ...PLAN.accounts, fundWei: '1.5' } }, 'accounts.fundWei'],
    ['a file as its feed', { feedUrl: 'file:///etc/passwd' }, 'feedUrl'],
    ['another key', { runid: 'r' }, 'did you mean runId'],
  ])('rejects a plan with %s', (_, more, fault) => {
    expect(() => parseEdgePlan(JSON.stringify({ ...PLAN, ...more }))).toThrow(fault);
  });

  it('returns a plan or throws a DomainError for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        try {
          parseEdgePlan(text);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
  });
});
