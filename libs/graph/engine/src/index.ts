export { FirstStart } from './first-start.port.ts';
export type { GraphLog, GraphOptions } from './store/graph-options.ts';
export type { GraphHealth, GraphStats } from './graph-stats.ts';
export { type BulkOptions, Graph } from './graph.ts';
export {
  isId,
  parseBulkOperation,
  parseConnectorId,
  parseSafetyValve,
  parseSessionBatch,
  parseSyncRequest,
  parseSyncScope,
  parseWriteRequest,
} from './request/parse-requests.ts';
export type {
  BulkError,
  BulkReply,
  LastSync,
  SessionReply,
  SessionState,
  SyncReply,
  WriteCounts,
  WriteReply,
} from './request/replies.ts';
export type {
  BulkOperation,
  DanglingPolicy,
  DeleteRequest,
  EntityReference,
  RelationshipReference,
  SafetyValve,
  SessionBatch,
  SyncMode,
  SyncOptions,
  SyncRequest,
  SyncScope,
  WriteOptions,
  WriteRequest,
} from './request/requests.ts';
export type { SharedSnapshot } from './memory/snapshot/shared-snapshot.ts';
export { snapshotOf } from './memory/snapshot-of.ts';
export { GraphSnapshot } from './memory/snapshot/graph-snapshot.ts';
export { describeOperation } from './record/describe-operation.ts';
export { Sessions } from './session/sessions.ts';
export { type DocumentChange, Documents, type StoredDocument } from './store/documents.ts';
export type { Neighbor, NeighborOptions, Neighbors } from './store/graph-view.ts';
export type { SourceStatement, WithSources } from './store/record-sources.ts';
export { BulkLoad, type BulkLoadReply } from './bulk-load.ts';
