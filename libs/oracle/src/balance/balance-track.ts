/**
 * Money of one edge's accounts, exact in wei: start + received − sent − fees = end, at the pinned blocks.
 *
 * A receipt's fee is gas used × effective gas price, paid by the sender whatever the outcome; only a
 * successful transaction moves its value. The edge's transfers stay within its accounts, so both ends are
 * seen here. Value that leaves for other addresses just leaves; nothing but our own transactions may bring
 * any.
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

export interface Payment {
  readonly from: number;
  /** −1: not an account of this edge. */
  readonly to: number;
  readonly kind: string;
  readonly isSuccess: boolean;
  readonly valueWei: bigint;
  readonly gasUsed: bigint;
  readonly priceWei: bigint;
}

export interface AccountMoney {
  startWei: bigint | null;
  endWei: bigint | null;
  startNonce: number;
  endNonce: number;
  startBlock: number;
  endBlock: number;
  /** Received − sent − fees, of the receipts so far. */
  movedWei: bigint;
  receipts: number;
  hasUnknownFlow: boolean;
}

export class BalanceTrack {
  readonly #accounts: AccountMoney[] = [];

  begin(account: number, at: { wei: bigint; nonce: number; blockNumber: number }): void {
    const money = this.money(account);
    money.startWei = at.wei;
    money.startNonce = at.nonce;
    money.startBlock = at.blockNumber;
  }

  end(account: number, at: { wei: bigint; nonce: number; blockNumber: number }): void {
    const money = this.money(account);
    money.endWei = at.wei;
    money.endNonce = at.nonce;
    money.endBlock = at.blockNumber;
  }

  pay({ from, to, kind, isSuccess, valueWei, gasUsed, priceWei }: Payment): void {
    const sender = this.money(from);
    sender.receipts += 1;
    sender.movedWei -= gasUsed * priceWei;
    if (isSuccess && valueWei > 0n) {
      sender.movedWei -= valueWei;
      if (to >= 0) this.money(to).movedWei += valueWei;
    }
    if (!KNOWN_KINDS.has(kind)) {
      sender.hasUnknownFlow = true;
      if (to >= 0) this.money(to).hasUnknownFlow = true;
    }
  }

  /** The account's sums; made when first asked for. */
  money(account: number): AccountMoney {
    return (this.#accounts[account] ??= {
      startWei: null,
      endWei: null,
      startNonce: 0,
      endNonce: 0,
      startBlock: 0,
      endBlock: 0,
      movedWei: 0n,
      receipts: 0,
      hasUnknownFlow: false,
    });
  }
}
