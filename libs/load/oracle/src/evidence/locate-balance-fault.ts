/**
 * Names the block, and if possible the transaction, at which an account's balance became wrong.
 *
 * Receipts determine the expected balance after every block. The balance is queried at the middle between the
 * pinned blocks and compared; the half with a correct start and a wrong end contains the fault. It needs
 * log2(blocks) calls. Source: bisection, as in `git bisect`.
 */
export interface AccountReceipt {
  readonly hash: string;
  readonly nonce: number;
  readonly blockNumber: number;
  /** Change of this account's balance: received − sent − fee. */
  readonly movedWei: bigint;
  /** Whether the account sent it. */
  readonly isSender: boolean;
}

/** The queries of the chain that are needed to locate a fault. */
export abstract class BalanceReader {
  /** Balance in wei at the end of a block. */
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
  readonly expectedBalance: bigint;
  readonly observedBalance: bigint;
  /** The account's transactions in that block, its own ones first. */
  readonly candidates: readonly AccountReceipt[];
}

/** Null if the balance at the end is correct. Rejects with the errors of the reader. */
export async function locateBalanceFault(
  history: BalanceHistory,
  chain: BalanceReader,
): Promise<LocatedFault | null> {
  const { account, receipts } = history;
  const expectedAt = expectations(history);
  let right = history.startBlock;
  let wrong = history.endBlock;
  let observedBalance = await chain.balanceAt(account, wrong);
  if (observedBalance === expectedAt(wrong)) return null;
  while (wrong - right > 1) {
    const middle = right + Math.floor((wrong - right) / 2);
    const balance = await chain.balanceAt(account, middle);
    if (balance === expectedAt(middle)) right = middle;
    else [wrong, observedBalance] = [middle, balance];
  }
  const candidates = receipts
    .filter(({ blockNumber }) => blockNumber === wrong)
    .sort((one, other) => Number(other.isSender) - Number(one.isSender) || one.nonce - other.nonce);
  return { blockNumber: wrong, expectedBalance: expectedAt(wrong), observedBalance, candidates };
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
