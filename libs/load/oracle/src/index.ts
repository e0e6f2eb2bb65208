export {
  CHECK_LIMITS,
  limitsText,
  type Coverage,
  type CoverageGap,
  type Verdict,
  type Check,
  CHECKS,
  type JsonRpcCall,
  type Violation,
} from './evidence/verdict.ts';
export type { TipPolicy } from './checks/gas-rules.ts';
export type { FoundKind, SeenTransactions } from './ledger/edge-ledger.ts';
export type { EdgeOutcome } from './ledger/edge-verdict.ts';
export { attributeFault, TransactionTracer } from './evidence/attribute-fault.ts';
export {
  type AccountReceipt,
  type BalanceHistory,
  BalanceReader,
  locateBalanceFault,
  type LocatedFault,
} from './evidence/locate-balance-fault.ts';
export { OracleFold, type Verdicts } from './oracle-fold.ts';
