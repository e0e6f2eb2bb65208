import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { parseScenario } from './parse-scenario.ts';

const SLOT = `0x${'00'.repeat(32)}`;
const ADDRESS = `0x${'ab'.repeat(20)}`;
const TIMEBOOST = { auction_contract: ADDRESS };
const CONDITIONS = { timestamp_max: '+2s' };

function faultsOf(entry: object, more: object = {}): unknown {
  const scenario = {
    name: 'x',
    target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:2' },
    accounts: { count: 2 },
    load: { stages: [{ rate: 1, duration: '1s' }] },
    mix: [{ kind: 'transfer', weight: 1, ...entry }],
    ...more,
  };
  try {
    parseScenario(scenario);
    return [];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.details?.['faults'];
  }
}

describe('types and ways to send of a scenario', () => {
  it.each([
    [{ type: 0 }],
    [{ type: 1, access_list: [{ address: ADDRESS, storage_keys: [SLOT] }] }],
    [{ type: 4, delegate_to: ADDRESS, authorizations: 2 }],
    [{ send: 'sync', sync_timeout_ms: 100, expect: 'sync_timeout' }],
    [{ send: 'conditional', conditions: CONDITIONS, expect: 'condition_failed' }],
    [{ send: 'conditional', conditions: { known_accounts: { [ADDRESS]: { [SLOT]: SLOT } } } }],
    [{ send: 'express_lane', conditions: CONDITIONS }],
  ])('are accepted as %j', (entry) => {
    expect(faultsOf(entry, { timeboost: TIMEBOOST })).toEqual([]);
  });

  it.each<readonly [object, string]>([
    [{ type: 3 }, 'mix.0.type: expected one of 0, 1, 2 and 4'],
    [{ type: 0, access_list: [{ address: ADDRESS }] }, 'mix.0.access_list: a transaction of type 0 has none'],
    [
      { access_list: [{ address: 'nft' }] },
      'mix.0.access_list.0.address: expected a name of contracts, got nft',
    ],
    [{ type: 4 }, 'mix.0.delegate_to: missing: type 4 needs it'],
    [{ delegate_to: ADDRESS }, 'mix.0.delegate_to: only type 4 takes it'],
    [{ type: 4, delegate_to: 'nft' }, 'mix.0.delegate_to: expected a name of contracts, got nft'],
    [
      { kind: 'deploy', type: 4, delegate_to: ADDRESS },
      'mix.0.type: a transaction of type 4 creates no contract',
    ],
    [{ authorizations: 1 }, 'mix.0.authorizations: only type 4 takes it'],
    [{ sync_timeout_ms: 5 }, 'mix.0.sync_timeout_ms: only sync takes it'],
    [{ conditions: CONDITIONS }, 'mix.0.conditions: only conditional and express_lane take it'],
    [{ send: 'conditional' }, 'mix.0.conditions: missing: conditional needs it'],
    [{ send: 'express_lane' }, 'mix.0.send: the express lane needs `timeboost`'],
    [{ expect: 'condition_failed' }, 'mix.0.expect: only an entry with conditions fails by them'],
    [{ expect: 'sync_timeout' }, 'mix.0.expect: only sync has a time-out'],
  ])('are rejected as %j', (entry, fault) => {
    expect(faultsOf(entry)).toEqual([fault]);
  });

  it('need a controller on a chain without well-known keys', () => {
    const target = { chain_id: 42_161, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:2' };
    const accounts = { count: 2, seed_env: 'SEED', funder_key_env: 'FUNDER' };

    const faults = faultsOf({ send: 'express_lane' }, { target, accounts, timeboost: TIMEBOOST });

    expect(faults).toEqual([
      'timeboost.controller_key_env: missing: only development chains have a well-known controller',
    ]);
  });
});
