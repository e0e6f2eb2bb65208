import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AccountReceipt, locateBalanceFault } from './locate-balance-fault.ts';

const START_BLOCK = 10;
const END_BLOCK = 200;
const START_WEI = 10n ** 18n;

const arbitraryReceipt: fc.Arbitrary<AccountReceipt> = fc.record({
  hash: fc.nat().map((number) => `0x${number.toString(16).padStart(64, '0')}`),
  nonce: fc.nat(1_000),
  blockNumber: fc.integer({ min: START_BLOCK + 1, max: END_BLOCK }),
  movedWei: fc.bigInt(-(10n ** 15n), 10n ** 15n),
  isSender: fc.boolean(),
});

/** A chain that applies the receipts, and adds an unexplained amount at one block. */
function chain(receipts: readonly AccountReceipt[], fault: { block: number; wei: bigint }) {
  const asked: number[] = [];
  const balanceAt = async (_: string, block: number) => {
    asked.push(block);
    const moved = receipts.filter(({ blockNumber }) => blockNumber <= block);
    const wei = moved.reduce((sum, { movedWei }) => sum + movedWei, START_WEI);
    return block >= fault.block ? wei + fault.wei : wei;
  };
  return { asked, balanceAt };
}

describe('locateBalanceFault', () => {
  it('names the block of the fault and the account’s transactions in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryReceipt, { maxLength: 150 }),
        fc.integer({ min: START_BLOCK + 1, max: END_BLOCK }),
        async (receipts, block) => {
          const reader = chain(receipts, { block, wei: -1n });
          const history = {
            account: '0x00',
            startBlock: START_BLOCK,
            endBlock: END_BLOCK,
            startWei: START_WEI,
          };

          const located = await locateBalanceFault({ ...history, receipts }, reader);

          expect(located).toMatchObject({ blockNumber: block });
          expect((located?.observedBalance ?? 0n) - (located?.expectedBalance ?? 0n)).toBe(-1n);
          expect(located?.candidates).toHaveLength(
            receipts.filter(({ blockNumber }) => blockNumber === block).length,
          );
          expect(reader.asked.length).toBeLessThanOrEqual(9);
        },
      ),
    );
  });

  it('finds nothing if the end balance is correct', async () => {
    const reader = chain([], { block: END_BLOCK + 1, wei: 1n });
    const history = { account: '0x00', startBlock: START_BLOCK, endBlock: END_BLOCK, startWei: START_WEI };

    expect(await locateBalanceFault({ ...history, receipts: [] }, reader)).toBeNull();
  });
});
