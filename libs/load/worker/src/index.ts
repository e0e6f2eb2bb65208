export { accountKey, AddressBook, DEVELOPMENT_CHAIN_IDS, DEVELOPMENT_SEED } from './plan/account-keys.ts';
export { EDGE_SHAPE, type EdgeConfig, readEdgeFile, readTlsFiles } from './edge/edge-config.ts';
export { EdgeAgent, type EdgeAgentOptions } from './edge/edge-agent.ts';
export { FAILURE_CLASSES, type FailureClass, type FailureMeaning, FAILURES } from './rpc/failure-class.ts';
export { betweenKeys, DEVELOPMENT_FUNDER_KEY, keyOf } from './funding/private-key.ts';
export { fundAccounts, type FundedRun, type FundingOptions } from './funding/fund-accounts.ts';
export { reclaim, type Reclaimed, reclaimedFields } from './funding/reclaim.ts';
export type { WalletTarget } from './funding/wallet.ts';
export { LATENCIES, type Latency } from './ledger/latencies.ts';
export { LoadCounters } from './ledger/tally.ts';
export { scheduleLengths } from './drive/arrivals.ts';
export {
  type AccountPlan,
  type CorrelationPlan,
  type EdgePlan,
  type FeePlan,
  type LoadPlan,
  type LoadStage,
  type MixEntry,
  parseEdgePlan,
  type SeedSource,
  type TelemetryPlan,
  TRANSACTION_KINDS,
  type TransactionKind,
} from './plan/edge-plan.ts';
export { resolveHeaders } from './plan/target-headers.ts';
export { JsonRpc, readBigInt, readNumber } from './rpc/json-rpc.ts';
export { RpcFailure } from './rpc/rpc-reply.ts';
export { type RefusalReason, refusalReasonOf } from './run/check-plan.ts';
export { LoadRun, type RunPhase, type RunProgress } from './run/load-run.ts';
export type { LoadLimits, LoadRunOptions } from './run/run-context.ts';
