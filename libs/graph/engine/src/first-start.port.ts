import type { SyncReply } from './request/replies.ts';

/** The data loaded into a new graph at the first start; undefined if none. */
export abstract class FirstStart {
  abstract readonly loaded: SyncReply | undefined;
}
