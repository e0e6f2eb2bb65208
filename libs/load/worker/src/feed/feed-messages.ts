import type { FeedEvent, FeedRefusal } from './feed-event.ts';

/** What the thread of a feed is started with. */
export interface FeedSetup {
  readonly url: string;
  /** Of the target, sent with the request to connect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly chainId: number;
  readonly epochUs: number;
  readonly fromSequence: number | undefined;
  /** Address in lower case; undefined: signatures are not checked. */
  readonly signer: string | undefined;
}

/** What it tells. */
export type FeedNews =
  | { readonly kind: 'opening' }
  | { readonly kind: 'messages'; readonly events: readonly FeedEvent[] }
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly reason: string }
  | { readonly kind: 'refused'; readonly refusal: FeedRefusal; readonly message: string }
  | { readonly kind: 'garbage'; readonly message: string };
