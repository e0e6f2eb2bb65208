export { EdgeRegistry } from './edge/edge-registry.ts';
export { Hive } from './hive/hive.ts';
export { ActiveRun } from './run/active-run.ts';
export { openWallet, reclaimRun } from './run/funding.ts';
export type { HiveRunRecord } from './record/run-record.ts';
export type { RunTimes } from './run/run-watchdog.ts';
export type { RunSummary, RunView } from './run/run-view.ts';
export { RunStore } from './record/run-store.ts';
