export { checkedBackup, restoreStore } from './backup/backup-stream.ts';
export { InlineJobRunner } from './jobs/job-runners.ts';
export {
  type LogBatch,
  type LogEntry,
  type LogFault,
  type LogOperation,
  readLog,
} from './recovery/read-log.ts';
export { repairStore } from './recovery/repair.ts';
export type {
  BatchWriter,
  ScanOptions,
  StorageLog,
  StorageStats,
  StoredRecord,
} from './store/storage.port.ts';
export { Storage, type StorageOptions } from './storage.ts';
