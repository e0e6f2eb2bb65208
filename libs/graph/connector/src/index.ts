export { type ConnectorType, defineConnector } from './config/connector-type.ts';
export { loadConnectors } from './config/load-connectors.ts';
export { type ConfiguredConnector, readConnector } from './config/read-connector.ts';
export { firstPartyConnectors } from './service/connector-list.ts';
export {
  type ExportedEntity,
  type ExportedRelationship,
  OpenGraphExport,
} from './connectors/bloodhound/opengraph-export.ts';
export { readPackageLock } from './connectors/sbom/lock/read-package-lock.ts';
export { connectorMatchers } from './kit/matchers.ts';
export { loadModule } from './config/connector-module.ts';
export { type ModuleTest, testModule } from './kit/test-module.ts';
export { runConnector } from './kit/run-connector.ts';
export { systemRunClock } from './run/run-clock.ts';
export type { StepReport } from './run/run-report.ts';
export { FileImports, type ImportReply } from './import/file-imports.ts';
export type { ImportSource } from './import/import-source.ts';
export { formWithoutText } from './import/recognized-file.ts';
export { IMPORT_CONNECTORS } from './import/tool-documents.ts';
export { UploadedFile } from './import/uploaded-file.ts';
export { createFileImports } from './service/connector-service.ts';
export { createConnectorRuns, readConnectors } from './service/connector-service.ts';
export { ConnectorSettings } from './service/connector-service.ts';
export { planWaves, printWaves } from './run/plan-waves.ts';
export { ConnectorRuns } from './sync/connector-runs.ts';
export { ConnectorSchedules } from './sync/connector-schedules.ts';
export { NAMESPACE as CONNECTOR_NAMESPACE, RUN_DOCUMENTS, RunListener } from './sync/run-history.ts';
export type { RunDocument, RunDocuments, RunRecord } from './sync/run-history.ts';
export { type SyncContent, type SyncCounts, SyncTarget } from './sync/sync-target.port.ts';
export { type GraphEntities, type KnownEntity, NoEntities } from './run/graph-entities.port.ts';
export { connectorList, type ConnectorSummary, summaryOf } from './service/connector-list.ts';
export { ConnectorFiles } from './files/connector-files.ts';
export type { ConnectorFile } from './files/connector-files.ts';
export type { Precondition, TaggedText } from './files/connector-directory.ts';
export type { PlacedConnectorFault } from './files/check-connector.ts';
export { type ConnectorTypeFields, connectorTypeFields } from './files/connector-type-fields.ts';
