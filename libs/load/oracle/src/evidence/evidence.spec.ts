import { describe, expect, it } from '@jest/globals';
import { EDGE, judge, run } from '../../test/judged-run.ts';
import {
  addressOf,
  GAS_LIMIT,
  hashOf,
  hexAddressOf,
  hexHashOf,
  type ScriptedEdge,
} from '../../test/scripted-edge.ts';

const BLOCK = 0x12_ab_9f;
const NOBODY = `0x${'0'.repeat(40)}`;

describe('the evidence of an edge finding', () => {
  function found(more: Parameters<ScriptedEdge['recordFinding']>[1]) {
    return judge(run((edge) => edge.recordFinding('cumulative_gas', more))).told;
  }

  it('names the transaction and its block, with the calls that reproduce them', () => {
    const told = found({
      account: addressOf(1),
      hash: hashOf(1, 3),
      nonce: 3,
      block_number: BLOCK,
      expected: 'this',
      observed: 'that',
      receipt_json: '{"a":1}',
    });

    expect(told).toEqual([
      {
        check: 'gas',
        kind: 'cumulative_gas',
        edgeId: EDGE,
        account: hexAddressOf(1),
        hash: hexHashOf(1, 3),
        nonce: 3,
        blockNumber: BLOCK,
        expected: 'this',
        observed: 'that',
        receipt: '{"a":1}',
        calls: [
          { method: 'eth_getTransactionReceipt', params: [hexHashOf(1, 3)] },
          { method: 'eth_getBlockByNumber', params: ['0x12ab9f', false] },
          { method: 'eth_getBlockReceipts', params: ['0x12ab9f'] },
        ],
        note: null,
      },
    ]);
  });

  it('omits unknown fields', () => {
    expect(found({})).toMatchObject([
      { account: NOBODY, hash: null, nonce: null, blockNumber: null, expected: '', observed: '', calls: [] },
    ]);
    expect(found({ hash: hashOf(0, 3) })).toMatchObject([
      { calls: [{ method: 'eth_getTransactionReceipt', params: [hexHashOf(0, 3)] }] },
    ]);
    expect(found({ block_number: 0, sequence_number: 0, observed: 'that' })).toMatchObject([
      { observed: 'that in feed message 0', calls: [{ params: ['0x0', false] }, { params: ['0x0'] }] },
    ]);
  });

  it('is reported once for equal findings, and separately for different ones', () => {
    const { told, findings } = judge(
      run((edge) => {
        for (const block of [7, 7, 8]) {
          for (const hash of [hashOf(0, 3), hashOf(1, 3)]) {
            for (const observed of ['a', 'b']) {
              edge.recordFinding('receipt_place', { block_number: block, hash, observed });
            }
          }
        }
        edge.recordFinding('receipt_count', { block_number: 7, hash: hashOf(0, 3), observed: 'a' });
        edge.recordFinding('method_missing');
      }),
    );

    expect(told).toHaveLength(9);
    expect([...(findings ?? [])]).toEqual([
      ['receipt_place', { count: 12, sample: 'a' }],
      ['receipt_count', { count: 1, sample: 'a' }],
      ['method_missing', { count: 1, sample: null }],
    ]);
  });
});

describe('the evidence of a nonce violation', () => {
  it('queries the transaction, if known, and the transaction count of the account', () => {
    const twice = judge(run((edge) => edge.recordFeed(edge.send(1, 2))));
    const never = judge(run((edge) => (edge.nonces[1] = (edge.nonces[1] ?? 0) + 1)));
    const counted = { method: 'eth_getTransactionCount', params: [hexAddressOf(1), 'latest'] };

    expect(twice.told).toMatchObject([
      {
        check: 'nonce',
        edgeId: EDGE,
        account: hexAddressOf(1),
        nonce: 4,
        receipt: null,
        expected: 'nonce 5',
        observed: 'nonce 4',
        calls: [{ method: 'eth_getTransactionByHash', params: [hexHashOf(1, 4)] }, counted],
      },
    ]);
    expect(never.told).toMatchObject([
      { hash: null, blockNumber: null, expected: 'nonce 4', observed: 'nonce 5', calls: [counted] },
    ]);
  });
});

describe('the evidence of a balance violation', () => {
  it('queries the balance at both pinned blocks', () => {
    const { told, verdicts } = judge(run((edge) => edge.credit(2, -1n)));
    const wei = 10n ** 18n - 21_500n * 100n;

    expect(told).toEqual([
      {
        check: 'balance',
        kind: 'debited',
        edgeId: EDGE,
        account: hexAddressOf(2),
        hash: null,
        nonce: null,
        blockNumber: 1_000,
        receipt: null,
        note: null,
        expected: `${wei - 5n} wei`,
        observed: `${wei - 6n} wei`,
        calls: ['0xa', '0x3e8'].map((block) => ({
          method: 'eth_getBalance',
          params: [hexAddressOf(2), block],
        })),
      },
    ]);
    expect(verdicts.balance.violations).toEqual(told);
  });

  it('queries the units at the token of the load', () => {
    const edge = run((chain) => {
      const sent = { from: 0, to: -1, nonce: chain.nonces[0] ?? 0, valueWei: 0n, isSuccess: true };
      chain.apply(sent);
      chain.recordFeed(sent);
      chain.recordIncluded(sent);
      const token = { to: addressOf(77), token_to: addressOf(1), token_units: 5n };
      chain.recordReceipt({ ...sent, kind: 'erc20_transfer' }, undefined, token);
    });
    edge.recordUnits([100n, 100n, 100n], [96n, 105n, 0n]);
    const data = `0x70a08231${'0'.repeat(24)}${hexAddressOf(0).slice(2)}`;

    expect(judge(edge).told).toEqual([
      {
        check: 'balance',
        kind: 'token_credited',
        edgeId: EDGE,
        account: hexAddressOf(0),
        hash: null,
        nonce: null,
        blockNumber: 1_000,
        receipt: null,
        note: null,
        expected: '95 units',
        observed: '96 units',
        calls: ['0xa', '0x3e8'].map((block) => ({
          method: 'eth_call',
          params: [{ to: hexAddressOf(77), data }, block],
        })),
      },
    ]);
  });
});

describe('the evidence of a gas violation', () => {
  it('contains the receipt unchanged', () => {
    const { told } = judge(
      run((edge) => {
        const sent = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 0n, isSuccess: true };
        edge.recordReceipt(sent, GAS_LIMIT, {
          block_number: BLOCK,
          gas_used_l1: GAS_LIMIT,
          receipt_json: '{}',
        });
        edge.recordReceipt({ ...sent, nonce: sent.nonce + 1 }, GAS_LIMIT, { gas_used_l1: GAS_LIMIT + 1 });
        edge.recordReceipt({ ...sent, nonce: sent.nonce + 2 }, 20_999, { gas_used_l1: null });
        edge.recordReceipt({ ...sent, nonce: sent.nonce + 3 }, 21_000, {
          block_number: BLOCK,
          gas_limit: 20_999,
          receipt_json: '{"b":2}',
        });
      }),
    );
    const gas = told.filter(({ check }) => check === 'gas');

    expect(gas).toMatchObject([
      { kind: 'l1_gas_over_used', nonce: 5, expected: 'gas ≤ 30000', observed: 'gas 30001', receipt: null },
      { kind: 'gas_below_intrinsic', nonce: 6, expected: 'gas ≥ 21000', observed: 'gas 20999' },
      {
        kind: 'gas_over_limit',
        account: hexAddressOf(1),
        hash: hexHashOf(1, 7),
        nonce: 7,
        blockNumber: BLOCK,
        receipt: '{"b":2}',
        expected: 'gas ≤ 20999',
        observed: 'gas 21000',
        calls: [{ method: 'eth_getTransactionReceipt', params: [hexHashOf(1, 7)] }],
      },
    ]);
  });
});
