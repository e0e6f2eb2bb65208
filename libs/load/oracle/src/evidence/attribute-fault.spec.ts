import { describe, expect, it } from '@jest/globals';
import { attributeFault } from './attribute-fault.ts';
import type { AccountReceipt } from './locate-balance-fault.ts';

const ACCOUNT = '0x01';

/** `count` transactions of one block; by its receipt, each moved its index in wei. */
function receipts(count: number): readonly AccountReceipt[] {
  return Array.from({ length: count }, (_, at) => ({
    hash: `0x${at}`,
    nonce: at,
    blockNumber: 7,
    movedWei: BigInt(at),
    isSender: true,
  }));
}

function attributed(candidates: readonly AccountReceipt[], movedBy: (hash: string) => bigint | string) {
  const asked: string[] = [];
  const tracer = {
    movedBy: (hash: string, account: string) => {
      asked.push(`${hash} ${account}`);
      return Promise.resolve(movedBy(hash));
    },
  };
  const attribution = attributeFault({ account: ACCOUNT, blockNumber: 7, candidates }, tracer);
  return attribution.then(({ culprits, note }) => ({
    culprits: culprits.map(({ hash }) => hash),
    note,
    asked,
  }));
}

const asReported = (hash: string): bigint => BigInt(hash.slice(2));

describe('attributeFault', () => {
  it('names the transactions whose trace differs from the receipt', async () => {
    const odd = await attributed(receipts(3), (hash) => asReported(hash) + (hash === '0x1' ? -5n : 0n));
    const both = await attributed(receipts(2), (hash) => asReported(hash) + 1n);

    expect(odd).toEqual({
      culprits: ['0x1'],
      note: '0x1 moved -4 wei by its trace, 1 wei by its receipt',
      asked: ['0x0 0x01', '0x1 0x01', '0x2 0x01'],
    });
    expect(both).toMatchObject({
      culprits: ['0x0', '0x1'],
      note: '0x0 moved 1 wei by its trace, 0 wei by its receipt; 0x1 moved 2 wei by its trace, 1 wei by its receipt',
    });
  });

  it.each([
    [1, 'the trace of the only transaction of the account in block 7 confirms the receipt'],
    [2, 'the trace of each of the 2 of the account in block 7 confirms the receipt'],
  ])('names no transaction if the traces of %d match the receipts', async (count, note) => {
    const told = await attributed(receipts(count), asReported);

    expect(told.culprits).toEqual([]);
    expect(told.note).toBe(
      `${note}: the balance changed outside of transactions, or is reported incorrectly`,
    );
  });

  it('reports a fault outside of transactions if the block has none', async () => {
    expect(await attributed([], asReported)).toEqual({
      culprits: [],
      note: 'no transaction of the account is in block 7: the balance changed outside of transactions',
      asked: [],
    });
  });

  it.each([
    [1, ['0x0'], 'the only transaction of the account in block 7; not traced: no such method'],
    [
      2,
      [],
      'one of 2 candidates, all of the account in block 7: not distinguishable without traces (no such method)',
    ],
  ])('names %d as candidates if the node does not trace', async (count, culprits, note) => {
    const untraced = await attributed(receipts(count), () => 'no such method');

    expect(untraced).toEqual({ culprits, note, asked: ['0x0 0x01'] });
  });

  it('traces up to 32 transactions', async () => {
    const most = await attributed(receipts(32), () => 0n);
    const more = await attributed(receipts(33), () => 0n);

    expect([most.asked.length, most.culprits.length]).toEqual([32, 31]);
    expect([more.asked.length, more.culprits.length]).toEqual([0, 0]);
    expect(more.note).toContain('more than 32 transactions are not traced');
  });
});
