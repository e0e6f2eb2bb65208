export { SharedStore, type SharedStoreOptions } from './shared-store.ts';
export { parseStoreAddress, type StoreAddress } from './store-address.ts';
export { readSharedLog, type SharedLogBatch } from './shared-log-reader.ts';
export { requireSchema } from './schema.ts';
export { copyIntoDatabase, copyIntoDirectory, type StoreSum } from './store-transfer.ts';
export { type DatabaseFacts, dropSchema, factsOf, type HeldCommits, holdCommits } from './database.ts';
