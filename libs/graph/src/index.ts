export { Graph, type BulkOptions } from './graph.ts';
export type { GraphLog, GraphOptions } from './graph-options.ts';
export type { GraphHealth, GraphStats } from './graph-stats.ts';
export type {
  BulkError,
  BulkReply,
  LastSync,
  SessionReply,
  SessionState,
  SyncReply,
  WriteCounts,
  WriteReply,
} from './ingest/replies.ts';
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
} from './ingest/requests.ts';
export {
  isId,
  parseBulkOperation,
  parseConnectorId,
  parseSafetyValve,
  parseSessionBatch,
  parseSyncRequest,
  parseSyncScope,
  parseWriteRequest,
} from './ingest/parse-requests.ts';
export { describeOperation } from './record/describe-operation.ts';
export { Sessions } from './session/sessions.ts';
export { Documents, type DocumentChange, type StoredDocument } from './store/documents.ts';
export type { SourceStatement, WithSources } from './store/record-sources.ts';
export type { Neighbor, NeighborOptions, Neighbors } from './store/graph-view.ts';
export { snapshotOf } from './memory/snapshot-of.ts';
export type { SharedSnapshot } from './memory/share/shared-snapshot.ts';
export { GraphSnapshot } from './memory/snapshot/graph-snapshot.ts';
