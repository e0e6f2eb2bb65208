import { describe, expect, it } from '@jest/globals';
import { Transaction } from 'ethers';
import { toHex } from '#load/chain';
import { AddressBook, DEVELOPMENT_ACCOUNTS } from '../plan/account-keys.ts';
import type { MixEntry } from '../plan/edge-plan.ts';
import { NO_SETUP } from '../plan/contract-setup.ts';
import { blueprintOf } from './blueprint.ts';
import { Signer } from './signer.ts';
import type { SignedPages, SigningColumns } from './signing-order.ts';

const TOKEN = Buffer.alloc(20, 0xee);
const OTHER = `0x${'ab'.repeat(20)}`;

const MIX: readonly MixEntry[] = [
  { kind: 'transfer', weight: 1, valueWei: '12345678901234567890' },
  { kind: 'transfer', weight: 1, to: OTHER },
  { kind: 'erc20_transfer', weight: 1, valueWei: '7' },
  { kind: 'deploy', weight: 1, bytes: 10 },
  { kind: 'calldata', weight: 1, bytes: 500 },
  { kind: 'invalid_nonce', weight: 1 },
];

interface Signed {
  readonly id: number;
  readonly hash: string;
  readonly transaction: Transaction;
}

async function sign(
  columns: SigningColumns,
): Promise<{ readonly book: AddressBook; readonly signed: readonly Signed[] }> {
  const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, 10, 4);
  const setup = {
    accounts: DEVELOPMENT_ACCOUNTS.secret,
    firstAccount: 10,
    addresses: book.bytes,
    chainId: 412_346,
  };
  const signer = new Signer(setup);
  const blueprints = MIX.map((entry) => ({
    ...blueprintOf(entry, { token: TOKEN, setup: NO_SETUP, accounts: 1 }),
    gasLimit: 50_000n,
  }));
  signer.use(blueprints, { maxFee: 300_000_000n, priorityFee: 0n });
  return { book, signed: readPages(signer.sign(columns, 71)) };
}

function readPages({ bodies, ends, hashes }: SignedPages): readonly Signed[] {
  return Array.from(ends, (end, i) => {
    const body = Buffer.from(bodies.subarray(ends[i - 1] ?? 0, end)).toString();
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: [string] };
    expect(method).toBe('eth_sendRawTransaction');
    const hash = toHex(hashes.subarray(i * 32, i * 32 + 32));
    return { id, hash, transaction: Transaction.from(params[0]) };
  });
}

const all = (entries: readonly number[]): SigningColumns => ({
  positions: Uint32Array.from(entries, (_, i) => i % 4),
  nonces: Float64Array.from(entries, (_, i) => i * 1_000),
  entries: Uint8Array.from(entries),
  variants: Uint32Array.from(entries, (_, i) => i),
});

describe('Signer', () => {
  it('writes requests with the ordered transactions, signed by the account', async () => {
    const { book, signed } = await sign(all([0, 1, 2, 3, 4, 5]));

    expect(signed.map(({ id }) => id)).toEqual([71, 72, 73, 74, 75, 76]);
    for (const [i, { hash, transaction }] of signed.entries()) {
      expect(transaction.hash).toBe(hash);
      expect(transaction.from?.toLowerCase()).toBe(toHex(book.at(i % 4)));
      expect([transaction.nonce, transaction.chainId, transaction.type]).toEqual([i * 1_000, 412_346n, 2]);
      expect([transaction.gasLimit, transaction.maxFeePerGas]).toEqual([50_000n + BigInt(i), 300_000_000n]);
    }
  });

  it('sends each kind to its receiver', async () => {
    const { book, signed } = await sign(all([0, 1, 2, 3, 4, 5]));
    const sent = signed.map(({ transaction: { to, value, data } }) => ({
      to: to?.toLowerCase() ?? null,
      value,
      data,
    }));

    expect(sent[0]).toEqual({ to: toHex(book.at(1)), value: 12_345_678_901_234_567_890n, data: '0x' });
    expect(sent[1]).toEqual({ to: OTHER, value: 1n, data: '0x' });
    expect(sent[2]).toMatchObject({ to: toHex(TOKEN), value: 0n });
    expect(sent[2]?.data).toBe(
      `0xa9059cbb${toHex(book.at(3)).slice(2).padStart(64, '0')}${'7'.padStart(64, '0')}`,
    );
    expect(sent[3]).toMatchObject({ to: null, value: 0n });
    expect(sent[3]?.data).toHaveLength(2 + 2 * (13 + 10));
    expect(sent[4]?.data).toHaveLength(2 + 2 * 500);
    expect(sent[5]).toEqual({ to: toHex(book.at(2)), value: 0n, data: '0x' });
  });

  it('fills data with bytes that differ from one transaction to the next', async () => {
    const { signed } = await sign(all([4, 4, 4, 4]));

    const data = signed.map(({ transaction }) => transaction.data);
    const bytes = new Set(Buffer.from((data[0] ?? '').slice(2), 'hex'));
    expect(new Set(data).size).toBe(4);
    expect(bytes.size).toBeGreaterThan(150);
  });

  it('makes another transaction of the same nonce by its variant', async () => {
    const columns = { ...all([0, 0]), positions: new Uint32Array(2), nonces: new Float64Array(2) };

    const { signed } = await sign(columns);

    expect(signed[0]?.hash).not.toBe(signed[1]?.hash);
  });

  it('writes more than its first page', async () => {
    const { signed } = await sign(all(Array.from({ length: 200 }, () => 4)));

    expect(signed).toHaveLength(200);
  });
});
