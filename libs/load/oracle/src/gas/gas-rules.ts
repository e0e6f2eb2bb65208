import type { PriceFacts, PriceRule } from './price-rule.ts';

/** Gas of one receipt, by rules that hold for every transaction. Amounts of gas, and wei for prices. */
export interface GasFacts extends PriceFacts {
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  /** Part of gasUsed on an Arbitrum-style chain; null where the chain has none. */
  readonly gasUsedL1: bigint | null;
}

export interface GasFault {
  readonly kind:
    'gas_over_limit' | 'gas_below_intrinsic' | 'l1_gas_over_used' | 'price_over_cap' | 'price_wrong';
  readonly expected: string;
  readonly observed: string;
}

/** What any transaction costs before it does anything; source: Ethereum Yellow Paper, G_transaction. */
const INTRINSIC_GAS = 21_000n;

/** The rules that a receipt breaks; none for a good one. */
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
