export { checkedBackup, restoreStore } from './backup/backup-stream.ts';
export { holdsStore, requireEmptyDirectory } from './backup/backup.ts';
export { crc32c } from './encoding/crc32c.ts';
export { InlineJobRunner } from './jobs/job-runners.ts';
export { type LogBatch, type LogEntry, type LogFault, readLog } from './recovery/read-log.ts';
export { repairStore } from './recovery/repair.ts';
export { decodeOperations } from './wal/operation.ts';
export { BatchBuilder } from './wal/batch-builder.ts';
export { storedEpoch } from './store/manifest.ts';
export { BatchDropped, Store } from './store/storage.port.ts';
export type {
  Appended,
  BackupOptions,
  Batch,
  BatchWriter,
  CatchUpTo,
  Follower,
  ForeignBatch,
  HeldLease,
  Image,
  ImagePart,
  LogOperation,
  ScanOptions,
  SharedLog,
  SharedPosition,
  StorageLog,
  StorageStats,
  StoreDamage,
  StoredRecord,
  TakeOver,
  CutTail,
} from './store/storage.port.ts';
export { Storage, type StorageOptions } from './storage.ts';
export { StorageSettings, type StoreContext } from './storage-settings.ts';
