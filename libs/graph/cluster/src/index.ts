export { openSharedStore, type SharedStoreSettings } from './open-shared-store.ts';
export { SharedStore, type SharedStoreOptions } from './shared-store.ts';
export { parseStoreAddress, type StoreAddress } from './store-address.ts';
export { readSharedLog, type SharedLogBatch } from './shared-log-reader.ts';
export type { FoundSchema } from './check/check-schema.ts';
export { CHECK_IDS, type CheckedDatabase, checkStore, type CheckedRow } from './check/check-store.ts';
export { repeatedReplies } from './check/repeated-replies.ts';
export { requireSchema } from './schema.ts';
export { copyIntoDatabase, copyIntoDirectory, type StoreSum, type Transfer } from './store-transfer.ts';
