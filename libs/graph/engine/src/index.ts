export { EngineSettings } from './engine-settings.ts';
export { NamedGraphs } from './named-graphs.ts';
export type { GraphLog, GraphOptions } from './store/graph-options.ts';
export type { GraphStats } from './graph-stats.ts';
export type { GraphHistory } from './moment/graph-history.ts';
export type { EntityChange } from './diff/entity-timeline.ts';
export type { Forgotten } from './forget/forgetting.ts';
export { type DocumentKind, keptDocuments } from './erasure/document-kind.ts';
export type { Erasure } from './erasure/erasure.ts';
export type { Difference } from './diff/difference.ts';
export type { DiffPage, GraphDiff } from './diff/graph-diff.ts';
export { type AskedMoment, momentOf, momentText, parseMoment } from './history/asked-moment.ts';
export { continueHistory, type Moment } from './history/history.ts';
export type { Horizon } from './record/history-record.ts';
export type { ChangeWindow, FeedChangeKind, FeedPlace, RecordChange } from './feed/change-window.ts';
export type { ChangeKind, FieldValues, RecordedState } from './record/recorded-state.ts';
export { type FeedToken, type GraphFeed, parseFeedToken } from './feed/graph-feed.ts';
export { Graph } from './graph.ts';
export {
  parseConnectorId,
  parseSafetyValve,
  parseSessionBatch,
  parseSyncRequest,
  parseSyncScope,
  parseWriteRequest,
} from './request/parse-requests.ts';
export type {
  LastSync,
  ListedEntity,
  ListedRelationship,
  PlannedChanges,
  SessionReply,
  SyncReply,
  WriteReply,
} from './request/replies.ts';
export type {
  BulkOperation,
  DanglingPolicy,
  PartedSyncRequest,
  SyncDocument,
  SyncIncrement,
  SyncOptions,
  SyncRequest,
  WriteRequest,
} from './request/requests.ts';
export {
  type GraphTransaction,
  isOvertaken,
  overtaken,
  type SeenRelationship,
  type TransactionChanges,
} from './session/graph-transaction.ts';
export { noteSeen, SeenSeq } from './seq/seen-seq.ts';
export { parseSeqToken, SEQ_WAIT_MS, type SeqPoint, seqToken } from './seq/seq-position.ts';
export { authorOf, describeOperation } from './record/describe-operation.ts';
export { isReplyKey } from './record/record-key.ts';
export { type SharedDocuments, UNSHARED } from './store/shared-documents.port.ts';
export { Documents } from './store/documents.ts';
export type { Leadership } from './store/leadership.ts';
export { type Tick, type TickDocuments, Ticks } from './store/ticks.ts';
export type { NodeAddresses } from './store/node-addresses.ts';
export type { Leases } from './store/leases.ts';
export type { NeighborOptions, Neighbors } from './store/graph-view.ts';
export type { SourceStatement, WithSources } from './store/record-sources.ts';
export { BulkLoad, type BulkLoadReply } from './bulk-load.ts';
export { type GraphRecords, recordsIn, recordsOf } from './graph-records.ts';
