export { type AccountPartition, assertDisjoint, partitionAccounts } from './edge/account-partition.ts';
export { EdgeRegistry } from './edge/edge-registry.ts';
export { Hive } from './hive/hive.ts';
export { type EdgePart, partOf, type PlannedStage, type EdgeTransactions } from './live/edge-part.ts';
export { type LatencySummary, RunFigures } from './live/run-figures.ts';
export { ActiveRun } from './run/active-run.ts';
export { type FundingEnvironment, openWallet, reclaimRun } from './run/funding.ts';
export type { RunEffect, RunEvent } from './run/run-event.ts';
export {
  type EdgeRecord,
  RUN_RECORD_FORMAT,
  type RunRecord,
  type ThresholdRecord,
  type VerdictRecord,
  type TallyRecord,
} from './record/run-record.ts';
export {
  isDegraded,
  isEnded,
  liveMembers,
  type MemberEnd,
  newRunState,
  type RunMember,
  type HiveRunPhase,
  type RunReason,
  type RunState,
  type RunStatus,
  waitingFor,
} from './record/run-state.ts';
export type { RunStep } from './run/run-step.ts';
export type { RunTimes } from './run/run-watchdog.ts';
export type { RunSummary, RunView } from './run/run-view.ts';
export { newRunId, type RunFile, RunStore } from './record/run-store.ts';
