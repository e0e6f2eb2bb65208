export {
  CHECK_IDS,
  type CheckedDatabase,
  checkStore,
  type CheckedRow,
  type StoreCheckOptions,
} from './check-store.ts';
export { repeatedReplies } from './repeated-replies.ts';
