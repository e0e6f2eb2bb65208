import type { ViolationFacts } from '../evidence/verdict.ts';

/**
 * Balances of one edge's accounts, exact in wei: start + received − sent − fees = end, at the pinned blocks.
 * Units of the load's ERC-20 token are checked in the same way.
 *
 * A receipt's fee is gas used × effective gas price, paid by the sender whatever the outcome; only a
 * successful transaction moves its value. The edge's transfers stay within its accounts, so both ends are
 * visible here. Value sent to other addresses is only subtracted; only the load's own transactions may add
 * value. A receipt whose block was replaced is reverted exactly.
 */

/**
 * Kinds of the mix with a known value flow; another kind may move value in ways that a receipt does not show.
 */
const KNOWN_KINDS: ReadonlySet<string> = new Set([
  'transfer',
  'erc20_transfer',
  'deploy',
  'calldata',
  'call',
  'invalid_nonce',
]);

interface Payment {
  readonly from: number;
  /** −1: not an account of this edge. */
  readonly to: number;
  readonly kind: string;
  readonly isSuccess: boolean;
  readonly valueWei: bigint;
  readonly gasUsed: bigint;
  readonly priceWei: bigint;
  /** Units of the token; null if it moves none. */
  readonly units: { readonly to: number; readonly amount: bigint } | null;
  readonly isWithdrawn: boolean;
}

/** The balances of an account at a pinned block. Null if the edge could not read it. */
export interface PinnedState {
  readonly wei: bigint | null;
  readonly nonce: number | null;
  readonly blockNumber: number;
  /** Units of the load's token; also null if not queried. */
  readonly tokenUnits: bigint | null;
}

interface AccountMoney {
  start: PinnedState | null;
  end: PinnedState | null;
  /** Received − sent − fees of the receipts so far. */
  movedWei: bigint;
  /** Null if the account does not use the token. */
  movedUnits: bigint | null;
  receipts: number;
  hasUnknownFlow: boolean;
}

export class BalanceTrack {
  readonly #accounts: AccountMoney[] = [];

  pay(payment: Payment): void {
    const { from, to, kind, isSuccess, valueWei, gasUsed, priceWei, isWithdrawn } = payment;
    const sign = isWithdrawn ? -1n : 1n;
    const sender = this.money(from);
    sender.receipts += Number(sign);
    sender.movedWei -= sign * gasUsed * priceWei;
    if (isSuccess) {
      sender.movedWei -= sign * valueWei;
      if (to >= 0) this.money(to).movedWei += sign * valueWei;
    }
    this.#payUnits(payment, sign);
    if (!KNOWN_KINDS.has(kind)) {
      sender.hasUnknownFlow = true;
      if (to >= 0) this.money(to).hasUnknownFlow = true;
    }
  }

  /** The account's sums, created on first use. */
  money(account: number): AccountMoney {
    return (this.#accounts[account] ??= {
      start: null,
      end: null,
      movedWei: 0n,
      movedUnits: null,
      receipts: 0,
      hasUnknownFlow: false,
    });
  }

  #payUnits({ from, units, isSuccess }: Payment, sign: bigint): void {
    if (units === null || !isSuccess) return;
    const sender = this.money(from);
    sender.movedUnits = (sender.movedUnits ?? 0n) - sign * units.amount;
    if (units.to < 0) return;
    const receiver = this.money(units.to);
    receiver.movedUnits = (receiver.movedUnits ?? 0n) + sign * units.amount;
  }
}

export interface BalanceFault {
  /** Both amounts are in wei, or in units of the load's token. */
  readonly expectedAmount: bigint;
  readonly observedAmount: bigint;
  /** Pinned blocks between which the balance changed. */
  readonly startBlock: number;
  readonly endBlock: number;
}

/**
 * An unexplained increase (`credited`) or decrease (`debited`) of a balance; the transaction is located
 * later.
 */
export function balanceViolation(
  edgeId: string,
  account: string,
  { expectedAmount, observedAmount, startBlock, endBlock }: BalanceFault,
): ViolationFacts {
  return {
    kind: observedAmount > expectedAmount ? 'credited' : 'debited',
    edgeId,
    account,
    hash: null,
    nonce: null,
    blockNumber: endBlock,
    expected: `${expectedAmount} wei`,
    observed: `${observedAmount} wei`,
    receipt: null,
    calls: [startBlock, endBlock].map((block) => ({
      method: 'eth_getBalance',
      params: [account, `0x${block.toString(16)}`],
    })),
  };
}
