/** Scenarios of contracts, reads and ways to send, for lies and innocences about them. */
import { join } from 'node:path';
import { root } from './local-load.mjs';

const SAMPLES = join(root, 'samples', 'contracts');
/** The third development account controls the express lane. */
const CONTROLLER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

/** Arguments of the development sequencer with an express lane. */
export const LANE_ARGS = ['--mode', 'sim', '--timeboost-controller', CONTROLLER];

/** Calls that succeed, and swaps that nobody can pay for. */
export const CALLS = {
  contracts: {
    nft: { artifact: join(SAMPLES, 'Mintable.json'), args: ['Lies', '1000000000'], sends_ether: 'never' },
    pool: {
      artifact: join(SAMPLES, 'SwapPool.json'),
      args: ['1000000000000', '2000000000000', { contract: 'nft' }],
      sends_ether: 'never',
    },
    store: { artifact: join(SAMPLES, 'StorageWriter.json'), sends_ether: 'never' },
  },
  mix: [
    { kind: 'transfer', weight: 3 },
    {
      kind: 'call',
      weight: 4,
      contract: 'nft',
      function: 'mint',
      args: [{ account: 'self' }, { counter: {} }],
    },
    { kind: 'call', weight: 2, contract: 'store', function: 'deposit', value_wei: '1' },
    {
      kind: 'call',
      weight: 2,
      contract: 'pool',
      function: 'swap',
      args: [true, '1000000000000000000000000000000', 0],
      gas_limit: 200_000,
      expect: 'reverted',
    },
  ],
};

export const READS = {
  reads: [
    { name: 'balances', kind: 'balance', rate: 10 },
    { name: 'events', kind: 'logs', contract: 'nft', blocks: 10, rate: 2 },
    { name: 'unknown', kind: 'method', method: 'plexus_noSuchMethod', params: [], rate: 2 },
  ],
};

export const WAYS = {
  timeboost: { auction_contract: '0x1234567812345678123456781234567812345678' },
  mix: [
    { kind: 'transfer', weight: 4 },
    { kind: 'transfer', weight: 4, send: 'express_lane' },
    { kind: 'transfer', weight: 3, send: 'sync' },
    { kind: 'transfer', weight: 2, send: 'conditional', conditions: { timestamp_max: '+30s' } },
    {
      kind: 'transfer',
      weight: 1,
      send: 'conditional',
      conditions: { timestamp_max: 1 },
      expect: 'condition_failed',
    },
  ],
};
