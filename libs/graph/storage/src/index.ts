export type { BackupSummary } from './backup/backup-format.ts';
export { checkedBackup, restoreStore } from './backup/backup-stream.ts';
export { InlineJobRunner } from './jobs/job-runners.ts';
export {
  type LogBatch,
  type LogEntry,
  type LogFault,
  type LogOperation,
  readLog,
} from './recovery/read-log.ts';
export { type RepairReport, repairStore } from './recovery/repair.ts';
export type { ScrubOptions } from './scrubber.ts';
export type { SegmentDamage } from './segment/segment-check.ts';
export type {
  Appended,
  BatchWriter,
  Image,
  ImagePart,
  ScanOptions,
  StorageLog,
  StorageStats,
  StoredRecord,
} from './store/storage.port.ts';
export { Storage, type StorageOptions } from './storage.ts';
export type { BatchBuilder } from './wal/batch-builder.ts';
