import type { TrustedProxies } from '../listener/peer.ts';

/** Whom a request comes from. */
export interface RequestOrigin {
  /** The client's address, or that of the proxy before us. */
  readonly peer: string;
  /** Whether the peer is believed in what it says of the client. */
  readonly isTrusted: boolean;
  readonly scheme: 'http' | 'https';
  /** Of the listener. */
  readonly trusted: TrustedProxies;
}
