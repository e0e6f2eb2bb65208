export { type AccountPartition, assertDisjoint, partitionAccounts } from './edge/account-partition.ts';
export { ClockEstimate, type ClockExchange, type ClockOffset } from './edge/clock-estimate.ts';
export type { EdgeHeartbeat, MetricSample } from './edge/edge-heartbeat.ts';
export type { EdgeIdentity } from './edge/edge-identity.ts';
export { type EdgeCredential, type EdgeRegistration, EdgeRegistry } from './edge/edge-registry.ts';
export { type LatencySummary, RunFigures } from './live/run-figures.ts';
export { type EdgePart, partOf, type PlannedStage, type SeenTransactions } from './live/edge-part.ts';
export {
  EDGE_PHASES,
  type EdgePhase,
  type EdgeProgress,
  type Tally,
  ZERO_TALLY,
} from './run/edge-progress.ts';
export { NACK_CODES, type NackCode, type PrepareOrder } from './run/prepare-order.ts';
export type { RunEffect, RunEvent } from './run/run-event.ts';
export { newRunId } from './run/run-id.ts';
export { stepRun } from './run/run-machine.ts';
export {
  type EdgeRecord,
  type Finding,
  type NotSentRecord,
  RUN_RECORD_FORMAT,
  type RunRecord,
  type StageRecord,
  type TallyRecord,
  type ThresholdRecord,
  type VerdictRecord,
} from './run/run-record.ts';
export {
  isDegraded,
  isEnded,
  liveMembers,
  type MemberEnd,
  newRunState,
  type RunMember,
  type RunPhase,
  type RunReason,
  type RunState,
  type RunStatus,
  waitingFor,
} from './run/run-state.ts';
export type { RunStep } from './run/run-step.ts';
export { type ResolvedStage, resolveStages, shareOfStages, shareOfTotal } from './scenario/load-stage.ts';
export { applyOverrides, type Override, parseOverride } from './scenario/override.ts';
export { parseScenario } from './scenario/parse-scenario.ts';
export { EXPECTABLE_ERRORS, MIX_KINDS, type Scenario } from './scenario/scenario.ts';
export { scenarioDocument } from './scenario/scenario-document.ts';
export { fundingWei, isDevelopmentChain } from './scenario/scenario-rules.ts';
export {
  hasSecretUrls,
  readUrlsOf,
  redactedText,
  sendUrlsOf,
  type TargetUrls,
  targetUrls,
} from './scenario/target-urls.ts';
export { formatOfFile, parseScenarioText, type ScenarioFormat } from './scenario/scenario-text.ts';
export { type RunFile, RunStore } from './store/run-store.ts';
export { type RunThreshold, thresholdsOf } from './threshold/default-thresholds.ts';
export {
  abortingThreshold,
  evaluateThresholds,
  type ThresholdOutcome,
} from './threshold/evaluate-thresholds.ts';
