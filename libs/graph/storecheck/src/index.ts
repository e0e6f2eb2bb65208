export { CHECK_IDS, checkStore, type CheckedRow, type StoreCheckOptions } from './check-store.ts';
export { repeatedReplies } from './repeated-replies.ts';
