export {
  type ConfigField,
  type ConfigOf,
  type ConfigSurroundings,
  type ConfigTable,
  fileField,
  integerField,
  listField,
  optionalTextField,
  secretField,
  switchField,
  textField,
  wordField,
} from './config/config-field.ts';
export type { ConnectorSchedule } from './config/connector-schedule.ts';
export { type ConnectorDefinition, type ConnectorType, defineConnector } from './config/connector-type.ts';
export { loadConnectors } from './config/load-connectors.ts';
export { type ConfiguredConnector, readConnector, type ReadOptions } from './config/read-connector.ts';
export { firstPartyConnectors } from './service/connector-list.ts';
export type { DependencyKind } from './connectors/sbom/lock-entry.ts';
export type { UnresolvedDependency } from './connectors/sbom/package-graph.ts';
export { readPackageLock, type SoftwareBill } from './connectors/sbom/read-package-lock.ts';
export { connectorMatchers } from './kit/matchers.ts';
export {
  emittedEntity,
  runConnector,
  runSteps,
  type TestRun,
  type TestRunOptions,
} from './kit/run-connector.ts';
export { GraphEntities, type KnownEntity } from './mapping/graph-entities.port.ts';
export type { Mapping } from './mapping/mapping.ts';
export { collect, type Collection, type CollectOptions } from './run/collect.ts';
export { type RunClock, systemRunClock } from './run/run-clock.ts';
export type { CollectionReport, CollectionStatus, StepReport, StepStatus } from './run/run-report.ts';
export { createConnectorRuns, readConnectors } from './service/connector-service.ts';
export { ConnectorSettings } from './service/connector-service.ts';
export { type PlannedStep, planWaves, printWaves } from './step/plan-waves.ts';
export {
  ANY_TYPE,
  type EmittedDrafts,
  type EmittedTypes,
  type EntityDraft,
  type ReadyConnector,
  type RelationshipDraft,
  type Step,
  type StepContext,
  type StepLog,
} from './step/step.ts';
export {
  type RunParts,
  type RunReport,
  type ConnectorRunStatus,
  syncConnector,
} from './sync/connector-run.ts';
export { ConnectorRuns } from './sync/connector-runs.ts';
export {
  NAMESPACE as CONNECTOR_NAMESPACE,
  type RunDocument,
  type RunDocuments,
  RunListener,
} from './sync/run-history.ts';
export type { RunRecord } from './sync/run-history.ts';
export { type SyncContent, type SyncCounts, SyncTarget } from './sync/sync-target.port.ts';
export { connectorList, type ConnectorSummary, summaryOf } from './service/connector-list.ts';
