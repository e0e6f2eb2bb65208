import type { FailureClass } from '../rpc/failure-class.ts';
import type { BlockReceipts, GasAlarm } from './block-receipts.ts';

/** What the thread that reads blocks is started with. */
export interface ReaderSetup {
  readonly url: readonly string[];
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly epochUs: number;
  /** The block before the first that is read. */
  readonly start: { readonly number: number; readonly hash: Uint8Array };
  /** Of the partition, in shared memory. */
  readonly addresses: Uint8Array;
  readonly alarm: GasAlarm;
}

/** What it tells. */
export type ReaderNews =
  | { readonly kind: 'block'; readonly block: BlockReceipts }
  | { readonly kind: 'replaced' | 'deep'; readonly blockNumber: number }
  | { readonly kind: 'unread'; readonly blockNumber: number; readonly message: string }
  | { readonly kind: 'fallback'; readonly message: string }
  | { readonly kind: 'trouble'; readonly failure: FailureClass; readonly message: string };
