export { CHECKS, type Check, type JsonRpcCall, type Violation } from './evidence/violation.ts';
export type { CheckVerdict, Coverage, CoverageGap, GapReason, Verdict } from './evidence/verdict.ts';
export {
  type AccountReceipt,
  type BalanceHistory,
  BalanceReader,
  type LocatedFault,
  locateBalanceFault,
} from './locate/locate-balance-fault.ts';
export { type Attribution, attributeFault, TransactionTracer } from './locate/attribute-fault.ts';
export type { SeenTransactions } from './ledger/edge-ledger.ts';
export type { EdgeWord } from './ledger/edge-verdict.ts';
export { OracleFold, type OracleOptions, type Verdicts } from './oracle-fold.ts';
export { CHECK_LIMITS, type CheckLimits } from './evidence/check-limits.ts';
export type { TipPolicy } from './gas/price-rule.ts';
