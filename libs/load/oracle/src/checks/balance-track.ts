import type { ViolationFacts } from '../evidence/verdict.ts';

/**
 * Money of one edge's accounts, exact in wei: start + received − sent − fees = end, at the pinned blocks. And
 * their units of the load's ERC-20 token in the same way.
 *
 * A receipt's fee is gas used × effective gas price, paid by the sender whatever the outcome; only a
 * successful transaction moves its value. The edge's transfers stay within its accounts, so both ends are
 * seen here. Value that leaves for other addresses just leaves; nothing but our own transactions may bring
 * any. A receipt whose block was replaced is taken back, to the last wei.
 */

/**
 * What kinds of the mix do with value is known; another kind may move money in ways a receipt does not
 * tell.
 */
const KNOWN_KINDS: ReadonlySet<string> = new Set([
  'transfer',
  'erc20_transfer',
  'deploy',
  'calldata',
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
  /** Of the token; null where it moves none. */
  readonly units: { readonly to: number; readonly amount: bigint } | null;
  readonly isWithdrawn: boolean;
}

/** What an account had at a pinned block. */
export interface PinnedState {
  readonly wei: bigint;
  readonly nonce: number;
  readonly blockNumber: number;
  /** Null where nobody asked, or nobody answered. */
  readonly tokenUnits: bigint | null;
}

interface AccountMoney {
  start: PinnedState | null;
  end: PinnedState | null;
  /** Received − sent − fees, of the receipts so far. */
  movedWei: bigint;
  /** Null: the account has nothing to do with the token. */
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

  /** The account's sums; made when first asked for. */
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
  readonly expectedWei: bigint;
  readonly observedWei: bigint;
  /** Pinned blocks between which the money moved. */
  readonly startBlock: number;
  readonly endBlock: number;
}

/**
 * Money that came from nowhere (`credited`) or went nowhere (`debited`); which transaction, is located
 * later.
 */
export function balanceViolation(
  edgeId: string,
  account: string,
  { expectedWei, observedWei, startBlock, endBlock }: BalanceFault,
): ViolationFacts {
  return {
    kind: observedWei > expectedWei ? 'credited' : 'debited',
    edgeId,
    account,
    hash: null,
    nonce: null,
    blockNumber: endBlock,
    expected: `${expectedWei} wei`,
    observed: `${observedWei} wei`,
    receipt: null,
    calls: [startBlock, endBlock].map((block) => ({
      method: 'eth_getBalance',
      params: [account, `0x${block.toString(16)}`],
    })),
  };
}
