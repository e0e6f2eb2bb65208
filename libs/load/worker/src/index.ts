export { AccountKeys, AddressBook, DEVELOPMENT_ACCOUNTS, type KeyKind } from './plan/account-keys.ts';
export { EDGE_SHAPE, type EdgeConfig, readEdgeFile, readTlsFiles } from './edge/edge-config.ts';
export { type LabelledLoad, registerLoadSeries } from './edge/load-series.ts';
export { bucketsOf, type LatencyBuckets } from './ledger/latency-buckets.ts';
export { EdgeAgent } from './edge/edge-agent.ts';
export { FAILURE_CLASSES } from './rpc/failure-class.ts';
export { betweenKeys, DEVELOPMENT_FUNDER_KEY, keyOf } from './funding/private-key.ts';
export { fundAccounts, type FundingOptions } from './funding/fund-accounts.ts';
export {
  type ContractsMade,
  type ContractSource,
  setUpContracts,
  type SetupOptions,
  type SetupRecord,
} from './funding/set-up-contracts.ts';
export { leftText, reclaim, type Reclaimed, reclaimedFields } from './funding/reclaim.ts';
export type { WalletTarget } from './funding/wallet.ts';
export { LATENCIES } from './ledger/latencies.ts';
export { LoadCounters } from './ledger/tally.ts';
export { scheduleLengths, uniformPhase } from './drive/arrivals.ts';
export type { RateChange } from './drive/load-curve.ts';
export { type EdgePlan, type LoadStage, parseEdgePlan, TRANSACTION_KINDS } from './plan/edge-plan.ts';
export { resolveHeaders } from './plan/target-headers.ts';
export { JsonRpc, readBigInt, readNumber } from './rpc/json-rpc.ts';
export { RpcFailure } from './rpc/rpc-reply.ts';
export { LoadRun, type RunProgress } from './run/load-run.ts';
export { LoadTarget } from './run/load-target.ts';
