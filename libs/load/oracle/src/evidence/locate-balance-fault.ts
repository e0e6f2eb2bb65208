/**
 * Names the block, and where one can be named the transaction, with which an account's money went wrong.
 *
 * Receipts give what the balance should be after every block. Between the pinned blocks the balance is
 * asked of the chain at the middle and compared; the half whose start is right and whose end is wrong
 * holds the fault. log2(blocks) calls. Source: bisection, as `git bisect` does it.
 */
export interface AccountReceipt {
  readonly hash: string;
  readonly nonce: number;
  readonly blockNumber: number;
  /** What it moved on this account: received − sent − fee. */
  readonly movedWei: bigint;
  /** Whether the account sent it. */
  readonly isSender: boolean;
}

/** The chain, as far as finding a fault needs it. */
export abstract class BalanceReader {
  /** Wei at the end of a block. */
  abstract balanceAt(account: string, blockNumber: number): Promise<bigint>;
}

export interface BalanceHistory {
  readonly account: string;
  readonly startBlock: number;
  readonly endBlock: number;
  readonly startWei: bigint;
  /** All receipts of the account between the pinned blocks, in any order. */
  readonly receipts: readonly AccountReceipt[];
}

export interface LocatedFault {
  readonly blockNumber: number;
  readonly expectedWei: bigint;
  readonly observedWei: bigint;
  /** The account's transactions in that block, its own ones first. */
  readonly candidates: readonly AccountReceipt[];
}

/** Null: the balance is right at the end after all. Rejects as the reader does. */
export async function locateBalanceFault(
  history: BalanceHistory,
  chain: BalanceReader,
): Promise<LocatedFault | null> {
  const { account, receipts } = history;
  const expectedAt = expectations(history);
  let right = history.startBlock;
  let wrong = history.endBlock;
  let observedWei = await chain.balanceAt(account, wrong);
  if (observedWei === expectedAt(wrong)) return null;
  while (wrong - right > 1) {
    const middle = right + Math.floor((wrong - right) / 2);
    const balance = await chain.balanceAt(account, middle);
    if (balance === expectedAt(middle)) right = middle;
    else [wrong, observedWei] = [middle, balance];
  }
  const candidates = receipts
    .filter(({ blockNumber }) => blockNumber === wrong)
    .sort((one, other) => Number(other.isSender) - Number(one.isSender) || one.nonce - other.nonce);
  return { blockNumber: wrong, expectedWei: expectedAt(wrong), observedWei, candidates };
}

function expectations({ receipts, startWei, startBlock }: BalanceHistory): (block: number) => bigint {
  const ordered = receipts.toSorted((one, other) => one.blockNumber - other.blockNumber);
  return (block) => {
    let wei = startWei;
    for (const { blockNumber, movedWei } of ordered) {
      if (blockNumber > block) break;
      if (blockNumber > startBlock) wei += movedWei;
    }
    return wei;
  };
}
