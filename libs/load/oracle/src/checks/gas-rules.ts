import type { ViolationFacts } from '../evidence/verdict.ts';

/**
 * The handling of tips: Nitro drops them, most chains pay them; `auto` derives it from the first receipts.
 */
export type TipPolicy = 'paid' | 'dropped' | 'auto';

interface PriceFacts {
  readonly priceWei: bigint;
  /** Base fee of the block; null if the chain reports none. */
  readonly baseFeeWei: bigint | null;
  /** The transaction's maximum tip. */
  readonly tipWei: bigint;
  readonly maxFeeWei: bigint;
}

/**
 * The exact price of a unit of gas: the base fee plus the tip, limited by the fee cap (EIP-1559), or the base
 * fee alone. One rule applies to a whole run: the first receipts with a tip determine it.
 */
export class PriceRule {
  #tips: TipPolicy;

  constructor(tips: TipPolicy) {
    this.#tips = tips;
  }

  /** The expected price; null if the actual price is equal to it, or if it cannot be determined. */
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

/** The gas fields of one receipt. Amounts are gas, prices are wei. */
interface GasFacts extends PriceFacts {
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** Part of gasUsed on an Arbitrum-style chain; null on other chains. */
  readonly gasUsedL1: bigint | null;
}

interface GasFault {
  readonly kind:
    'gas_over_limit' | 'gas_below_intrinsic' | 'l1_gas_over_used' | 'price_over_cap' | 'price_wrong';
  readonly expected: string;
  readonly observed: string;
}

/** The base cost of any transaction; source: Ethereum Yellow Paper, G_transaction. */
const INTRINSIC_GAS = 21_000n;

/** The rules that a receipt breaks; empty for a valid receipt. */
export function gasFaults(facts: GasFacts, rule: PriceRule): GasFault[] {
  const { gasUsed, gasLimit, gasUsedL1, priceWei, maxFeeWei } = facts;
  const faults: GasFault[] = [];
  const fault = (kind: GasFault['kind'], sign: string, limit: bigint, observed: bigint) =>
    faults.push({ kind, expected: `${sign} ${limit}`, observed: String(observed) });
  if (gasUsed > gasLimit) fault('gas_over_limit', '≤', gasLimit, gasUsed);
  if (gasUsed < INTRINSIC_GAS) fault('gas_below_intrinsic', '≥', INTRINSIC_GAS, gasUsed);
  if (gasUsedL1 !== null && gasUsedL1 > gasUsed) fault('l1_gas_over_used', '≤', gasUsed, gasUsedL1);
  const price = rule.expected(facts);
  if (priceWei > maxFeeWei) fault('price_over_cap', '≤', maxFeeWei, priceWei);
  else if (price !== null) fault('price_wrong', '=', price, priceWei);
  return faults;
}

type Transaction = Pick<ViolationFacts, 'account' | 'hash' | 'nonce' | 'blockNumber' | 'receipt'>;

export function gasViolation(
  edgeId: string,
  transaction: Transaction,
  { kind, expected, observed }: GasFault,
): ViolationFacts {
  const calls = [{ method: 'eth_getTransactionReceipt', params: [transaction.hash] }];
  const what = kind.startsWith('price') ? 'wei a unit' : 'gas';
  return {
    kind,
    edgeId,
    ...transaction,
    expected: `${what} ${expected}`,
    observed: `${what} ${observed}`,
    calls,
  };
}
