import type { Timers } from '../cluster/target/cluster-surroundings.ts';
import type { ListenerConfig } from '../config/proxy-config.ts';
import type { AccessLog } from '../listener/access-log.ts';
import type { ListenerCounters } from '../listener/listener-counters.ts';
import type { TrustedProxies } from '../listener/peer.ts';
import type { TimeoutList } from '../listener/timeout-list.ts';
import type { Timeouts } from '../listener/timeouts.ts';
import type { HeadFlusher } from './head-flusher.ts';
import type { UpstreamPools } from './upstream-pools.ts';

/** What the connections of a listener, and their requests, find there. */
export interface HttpHost {
  readonly config: ListenerConfig;
  readonly counters: ListenerCounters;
  /** Undefined where it is switched off. */
  readonly accessLog: AccessLog | undefined;
  readonly timers: Timers;
  readonly timeouts: Timeouts;
  readonly pools: UpstreamPools;
  readonly flusher: HeadFlusher;
  readonly headerTime: TimeoutList;
  readonly idleTime: TimeoutList;
  /** How often an idle connection is looked at. */
  readonly lookTime: TimeoutList;
  /** Each answer is the last of its connection. */
  readonly isRetiring: boolean;
  /** A connection that comes to rest is closed at once. */
  readonly isClosing: boolean;
}

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
