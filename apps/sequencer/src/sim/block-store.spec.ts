import { describe, expect, it } from '@jest/globals';
import { decodeTransaction, signTransaction } from '#load/chain';
import { BlockColumns, type SequencedTransaction } from './block-columns.ts';
import { BlockStore } from './block-store.ts';
import { Block } from './block.ts';

const OUTCOME = { isSuccess: true, gasUsed: 21_234, gasUsedForParentChain: 234, contract: null };
const FIELDS = { chainId: 1, maxPriorityFeePerGas: 0n, maxFeePerGas: 1n, gasLimit: 1n, to: null, value: 0n };

function sequenced(nonce: number): SequencedTransaction {
  const { raw } = signTransaction({ ...FIELDS, nonce, data: Buffer.alloc(nonce % 60) }, Buffer.alloc(32, 1));
  return { transaction: decodeTransaction(raw), outcome: { ...OUTCOME, gasUsed: 21_000 + nonce } };
}

function append(store: BlockStore, transactions: readonly SequencedTransaction[]): Block {
  const { header, hash: parentHash } = store.latest;
  const next = { number: header.number + 1, timestamp: 1, parentHash };
  const block = new Block(next, new BlockColumns(transactions));
  store.append(block);
  return block;
}

describe('BlockStore', () => {
  it('returns each transaction unchanged', () => {
    const store = new BlockStore(Block.genesis(0), 1_000);
    const all = Array.from({ length: 200 }, (_, nonce) => sequenced(nonce));
    const contract = Buffer.alloc(20, 7);
    all[3] = { ...sequenced(3), outcome: { ...OUTCOME, isSuccess: false, contract } };
    for (let from = 0; from < 200; from += 40) append(store, all.slice(from, from + 40));

    const found = all.map(({ transaction }) => store.transaction(transaction.hash));

    for (const [nonce, { transaction, outcome }] of all.entries()) {
      expect(found[nonce]?.block.header.number).toBe(1 + Math.floor(nonce / 40));
      expect(found[nonce]?.entry).toEqual({
        ...outcome,
        index: nonce % 40,
        sender: Buffer.from(transaction.sender),
        envelope: expect.objectContaining({ nonce, hash: transaction.hash }),
      });
    }
  });

  it('removes the oldest blocks first above the limit of transactions', () => {
    const store = new BlockStore(Block.genesis(0), 5);
    const blocks = [0, 2, 4].map((nonce) => append(store, [sequenced(nonce), sequenced(nonce + 1)]));

    expect(store.firstKept).toBe(2);
    expect([0, 1, 2, 3].map((number) => store.byNumber(number)?.header.number)).toEqual([
      undefined,
      undefined,
      2,
      3,
    ]);
    expect(blocks.map(({ hash }) => store.byHash(hash) !== undefined)).toEqual([false, true, true]);
    expect(store.transaction(sequenced(1).transaction.hash)).toBeUndefined();
    expect(store.transaction(sequenced(2).transaction.hash)).toBeDefined();
  });

  it('keeps the latest block regardless of its size', () => {
    const store = new BlockStore(Block.genesis(0), 1);

    append(store, [sequenced(0), sequenced(1), sequenced(2)]);

    expect([store.firstKept, store.latest.header.number]).toEqual([1, 1]);
  });

  it('finds a replacement block by its hash', () => {
    const store = new BlockStore(Block.genesis(0), 10);
    const first = append(store, [sequenced(0)]);
    const other = first.at(99);

    store.replaceLatest(other);

    expect(store.byHash(first.hash)).toBeUndefined();
    expect(store.byHash(other.hash)).toBe(other);
    expect(store.transaction(sequenced(0).transaction.hash)?.block).toBe(other);
  });
});
