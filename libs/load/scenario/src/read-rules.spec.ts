import { describe, expect, it } from '@jest/globals';
import { readScenario } from './parse-scenario.ts';

const POOL = { at: `0x${'12'.repeat(20)}`, abi: ['function reserve() view returns (uint256)'] };

function faultsOf(read: object): readonly string[] {
  const { faults } = readScenario({
    name: 'x',
    target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
    accounts: { count: 10 },
    load: { stages: [{ duration: '1s', rate: 1 }] },
    contracts: { pool: POOL },
    reads: [{ name: 'r', rate: 1, ...read }],
  });
  return faults.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('reads of a scenario', () => {
  it.each([
    [{ kind: 'balance' }],
    [{ kind: 'call', contract: 'pool', function: 'reserve' }],
    [{ kind: 'logs', contract: 'pool', blocks: 5 }],
    [{ kind: 'method', method: 'eth_getStorageAt', params: [{ contract: 'pool' }, '0x0', 'latest'] }],
  ])('are accepted as %j', (read) => {
    expect(faultsOf(read)).toEqual([]);
  });

  it.each<readonly [object, string]>([
    [{ kind: 'call', contract: 'pool' }, 'reads.0.function: missing'],
    [{ kind: 'call', contract: 'pool', function: 'other' }, 'reads.0.function: expected a function'],
    [{ kind: 'logs', contract: 'nft' }, 'reads.0.contract: expected a name of contracts, got nft'],
    [{ kind: 'balance', blocks: 5 }, 'reads.0.blocks: a read of the kind balance has none'],
    [
      { kind: 'method', method: 'eth_sendRawTransaction' },
      'reads.0.method: expected the name of a method that reads',
    ],
    [
      { kind: 'method', method: 'eth_call', params: [{ to: { contract: 'nft' } }] },
      'reads.0.params: expected a contract',
    ],
  ])('are rejected as %j', (read, fault) => {
    expect(faultsOf(read)).toEqual([expect.stringContaining(fault)]);
  });
});
