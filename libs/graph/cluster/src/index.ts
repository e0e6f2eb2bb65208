export { SharedStore, type SharedStoreOptions } from './shared-store.ts';
export { parseStoreAddress, type StoreAddress } from './store-address.ts';
export { readSharedLog, type SharedLogBatch } from './shared-log-reader.ts';
export { CheckSchema, findCheckSchemas, type FoundSchema } from './check-schema.ts';
export { requireSchema } from './schema.ts';
export { copyIntoDatabase, copyIntoDirectory, type StoreSum, type Transfer } from './store-transfer.ts';
export { type DatabaseFacts, factsOf, type HeldCommits, holdCommits } from './database.ts';
