export { CHECK_LIMITS, type CheckLimits } from './evidence/check-limits.ts';
export type { CheckVerdict, Coverage, CoverageGap, GapReason, Verdict } from './evidence/verdict.ts';
export { type Check, CHECKS, type JsonRpcCall, type Violation } from './evidence/violation.ts';
export type { TipPolicy } from './gas/price-rule.ts';
export type { SeenTransactions } from './ledger/edge-ledger.ts';
export type { EdgeWord } from './ledger/edge-verdict.ts';
export { attributeFault, type Attribution, TransactionTracer } from './locate/attribute-fault.ts';
export {
  type AccountReceipt,
  type BalanceHistory,
  BalanceReader,
  locateBalanceFault,
  type LocatedFault,
} from './locate/locate-balance-fault.ts';
export { OracleFold, type OracleOptions, type Verdicts } from './oracle-fold.ts';
