import type { SyncReply } from './request/replies.ts';

/** What a first start has loaded into a new graph; undefined when it loaded nothing. */
export abstract class FirstStart {
  abstract readonly loaded: SyncReply | undefined;
}
