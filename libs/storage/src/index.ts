export { Storage, type BatchBuilder, type StorageOptions } from './storage.ts';
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
