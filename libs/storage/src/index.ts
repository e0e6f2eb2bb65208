export { Storage, type StorageOptions } from './storage.ts';
export type { BackupSummary } from './backup-format.ts';
export { checkedBackup, restoreStore } from './backup-stream.ts';
export type { BatchBuilder } from './wal/batch-builder.ts';
export type {
  Appended,
  BatchWriter,
  Image,
  ImagePart,
  ScanOptions,
  StorageLog,
  StorageStats,
  StoredRecord,
} from './storage.port.ts';
export {
  readLog,
  type LogBatch,
  type LogEntry,
  type LogFault,
  type LogOperation,
} from './recovery/read-log.ts';
export { InlineJobRunner } from './jobs/inline-job-runner.ts';
export { repairStore, type RepairReport } from './recovery/repair.ts';
