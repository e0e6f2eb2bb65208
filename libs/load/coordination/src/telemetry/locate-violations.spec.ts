import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fromHex } from '#load/chain';
import type { Violation } from '#load/oracle';
import { type RowOf, type TableBatch, TableBuilder, type TableName } from '#load/telemetry';
import { AccountHistories } from './account-histories.ts';
import { locateViolations } from './locate-violations.ts';

const ACCOUNT = `0x${'07'.repeat(20)}`;
const OTHER = `0x${'08'.repeat(20)}`;
const START_WEI = 1_000_000n;
/** The fee of each transaction: 21,000 gas at 1 wei; its value is 1 wei. */
const FEE_WEI = 21_000n;
const FAULTY_BLOCK = 7;

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const quantity = (wei: bigint): string => `0x${wei.toString(16)}`;

/** A trace in which the transaction changes the account's balance by this amount. */
const traced = (wei: bigint): object => ({
  result: {
    pre: { [ACCOUNT]: { balance: quantity(START_WEI), nonce: 1 } },
    post: wei === 0n ? {} : { [ACCOUNT]: { balance: quantity(START_WEI + wei) } },
  },
});

const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;

function batch<T extends TableName>(table: T, rows: readonly RowOf<T>[]): TableBatch {
  const builder = new TableBuilder(table);
  for (const row of rows) builder.append(row);
  return builder.batch() as TableBatch;
}

function balanceRow(at: 'start' | 'end', block: number): RowOf<'balances'> {
  return {
    account: fromHex(ACCOUNT),
    at,
    block_number: block,
    balance_wei: START_WEI,
    nonce: 0,
    token_units: null,
  };
}

function receiptRow(number: number, block: number, from: string, to: string): RowOf<'receipts'> {
  return {
    block_number: block,
    tx_index: 0,
    hash: fromHex(hashOf(number)),
    account: fromHex(from),
    nonce: number,
    to: fromHex(to),
    kind: 'transfer',
    value_wei: 1n,
    gas_limit: 21_000,
    max_fee_wei: 1n,
    status: 1,
    gas_used: Number(FEE_WEI),
    gas_used_l1: null,
    effective_gas_price: 1n,
    receipt_json: null,
    base_fee_wei: 1n,
    tip_wei: 0n,
    token_to: null,
    token_units: null,
    is_withdrawn: false,
  };
}

const FOUND: Violation = {
  check: 'balance',
  kind: 'credited',
  edgeId: 'edge-1',
  account: ACCOUNT,
  hash: null,
  nonce: null,
  blockNumber: 10,
  expected: 'less',
  observed: 'more',
  receipt: null,
  calls: [],
  note: null,
};

describe('locateViolations', () => {
  let server: Server;
  let rpcUrl: string;

  /** The correct balance before the faulty block, and 1 wei too much from that block on. */
  let balanceAt: (block: number) => bigint;

  /** The node's answer to `debug_traceTransaction`. */
  let traceOf: (hash: string) => object;

  beforeEach(async () => {
    traceOf = () => ({ error: { code: -32_601, message: 'Method not found' } });
    server = createServer((request, response) => {
      void text(request).then((body) => {
        const { id, method, params } = JSON.parse(body) as Asked;
        const answer =
          method === 'eth_getBalance'
            ? { result: quantity(balanceAt(Number(params[1]))) }
            : traceOf(String(params[0]));
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.close();
  });

  async function located(
    receipts: readonly RowOf<'receipts'>[],
    replaced: readonly RowOf<'receipts'>[] = [],
  ): Promise<Violation | undefined> {
    const spentBy = (block: number): bigint =>
      receipts
        .filter(({ block_number: own }) => own <= block)
        .reduce((sum, { account }) => (account[0] === 7 ? sum + FEE_WEI + 1n : sum - 1n), 0n);
    balanceAt = (block) => START_WEI - spentBy(block) + (block >= FAULTY_BLOCK ? 1n : 0n);
    const histories = AccountHistories.ofViolations([FOUND]);
    histories.apply([batch('balances', [balanceRow('start', 1), balanceRow('end', 10)])]);
    histories.apply([batch('receipts', [...replaced, ...receipts])]);
    const chain = { rpcUrls: [rpcUrl], rpcTimeoutMs: 5_000, headers: {} };
    const [found] = await locateViolations([{ violation: FOUND, atUs: 1 }], histories, chain);
    return found?.violation;
  }

  it('returns the block, and the account’s only transaction in it', async () => {
    const violation = await located([
      receiptRow(1, 3, ACCOUNT, OTHER),
      receiptRow(2, FAULTY_BLOCK, ACCOUNT, OTHER),
      receiptRow(3, 9, ACCOUNT, OTHER),
    ]);

    expect(violation).toMatchObject({ blockNumber: FAULTY_BLOCK, hash: hashOf(2), nonce: 2 });
    expect(violation?.calls).toEqual([
      { method: 'eth_getBalance', params: [ACCOUNT, '0x6'] },
      { method: 'eth_getBalance', params: [ACCOUNT, '0x7'] },
      { method: 'eth_getTransactionReceipt', params: [hashOf(2)] },
    ]);
    expect(BigInt(parseInt(violation?.observed ?? '')) - BigInt(parseInt(violation?.expected ?? ''))).toBe(
      1n,
    );
  });

  it('lists all of several candidates without choosing one, transactions sent by the account first', async () => {
    const violation = await located([
      receiptRow(4, FAULTY_BLOCK, OTHER, ACCOUNT),
      receiptRow(6, FAULTY_BLOCK, ACCOUNT, OTHER),
      receiptRow(5, FAULTY_BLOCK, ACCOUNT, OTHER),
    ]);

    expect(violation).toMatchObject({ blockNumber: FAULTY_BLOCK, hash: null, nonce: null });
    expect(violation?.calls.slice(2).map(({ params: [hash] }) => hash)).toEqual([5, 6, 4].map(hashOf));
    expect(violation?.note).toMatch(/^one of 3 candidates, .* without traces \(.*Method not found/);
  });

  it('returns the candidate whose trace contradicts its receipt', async () => {
    const honest: Readonly<Record<string, bigint>> = { [hashOf(4)]: 1n, [hashOf(6)]: -FEE_WEI - 1n };
    traceOf = (hash) => traced(honest[hash] ?? -FEE_WEI);
    const violation = await located([
      receiptRow(4, FAULTY_BLOCK, OTHER, ACCOUNT),
      receiptRow(6, FAULTY_BLOCK, ACCOUNT, OTHER),
      receiptRow(5, FAULTY_BLOCK, ACCOUNT, OTHER),
    ]);

    expect(violation).toMatchObject({ blockNumber: FAULTY_BLOCK, hash: hashOf(5), nonce: 5 });
    expect(violation?.note).toBe(`${hashOf(5)} moved -21000 wei by its trace, -21001 wei by its receipt`);
    expect(violation?.calls.slice(2).map(({ params: [hash] }) => hash)).toEqual([hashOf(5)]);
  });

  it('returns no transaction if all traces match their receipts', async () => {
    traceOf = (hash) => traced(hash === hashOf(4) ? 1n : -FEE_WEI - 1n);
    const violation = await located([
      receiptRow(4, FAULTY_BLOCK, OTHER, ACCOUNT),
      receiptRow(5, FAULTY_BLOCK, ACCOUNT, OTHER),
    ]);

    expect(violation).toMatchObject({ blockNumber: FAULTY_BLOCK, hash: null, nonce: null });
    expect(violation?.note).toMatch(
      /^the trace of each of the 2 .* confirms the receipt: .* outside of transactions/,
    );
  });

  it('ignores a receipt withdrawn by a reorganisation', async () => {
    const violation = await located(
      [receiptRow(2, FAULTY_BLOCK, ACCOUNT, OTHER)],
      [receiptRow(1, 3, ACCOUNT, OTHER), { ...receiptRow(1, 3, ACCOUNT, OTHER), is_withdrawn: true }],
    );

    expect(violation).toMatchObject({ blockNumber: FAULTY_BLOCK, hash: hashOf(2) });
  });

  it('returns an incoming transaction without a nonce', async () => {
    const violation = await located([receiptRow(4, FAULTY_BLOCK, OTHER, ACCOUNT)]);

    expect(violation).toMatchObject({ hash: hashOf(4), nonce: null });
  });

  it('keeps the violation, with a note, if the chain does not respond', async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');

    const violation = await located([receiptRow(1, 3, ACCOUNT, OTHER)]);

    expect(violation).toEqual({ ...FOUND, note: violation?.note });
    expect(violation?.note).toMatch(/^the block could not be located: /);
  });
});
