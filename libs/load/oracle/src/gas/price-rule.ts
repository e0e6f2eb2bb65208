/** What becomes of tips: Nitro drops them, most chains pay them; `auto` learns it from the first receipts. */
export type TipPolicy = 'paid' | 'dropped' | 'auto';

export interface PriceFacts {
  readonly priceWei: bigint;
  /** Of the block; null when the chain does not tell one. */
  readonly baseFeeWei: bigint | null;
  /** The most that the transaction tips. */
  readonly tipWei: bigint;
  readonly maxFeeWei: bigint;
}

/**
 * What a unit of gas costs, exactly: the base fee, and the tip as far as the cap leaves room for it
 * (EIP-1559), or the base fee alone. One rule for a whole run: what the first receipts with a tip show
 * holds for all later ones.
 */
export class PriceRule {
  #tips: TipPolicy;

  constructor(tips: TipPolicy) {
    this.#tips = tips;
  }

  /** What the price must be; null when it is that, or cannot be told. */
  expected({ priceWei, baseFeeWei, tipWei, maxFeeWei }: PriceFacts): bigint | null {
    if (baseFeeWei === null) return null;
    const withTip = baseFeeWei + tipWei < maxFeeWei ? baseFeeWei + tipWei : maxFeeWei;
    if (tipWei > 0n && withTip !== baseFeeWei && this.#tips === 'auto') {
      if (priceWei === withTip) this.#tips = 'paid';
      if (priceWei === baseFeeWei) this.#tips = 'dropped';
    }
    const right = tipWei === 0n || this.#tips === 'dropped' ? baseFeeWei : withTip;
    return priceWei === right ? null : right;
  }
}
