import type { Timers } from '../cluster/target/cluster-context.ts';
import type { ListenerConfig } from '../config/proxy-config.ts';
import type { AccessLog } from '../listener/access-log.ts';
import type { ListenerCounters } from '../listener/listener-counters.ts';
import type { TrustedProxies } from '../listener/peer.ts';
import type { TimeoutList } from '../listener/timeout-list.ts';
import type { Timeouts } from '../listener/timeouts.ts';
import type { HeadFlusher } from './head-flusher.ts';
import type { UpstreamPools } from './upstream-pools.ts';

/** The part of a listener that its connections and requests use. */
export interface HttpHost {
  readonly config: ListenerConfig;
  readonly counters: ListenerCounters;
  /** Undefined when it is disabled. */
  readonly accessLog: AccessLog | undefined;
  readonly timers: Timers;
  readonly timeouts: Timeouts;
  readonly pools: UpstreamPools;
  readonly flusher: HeadFlusher;
  readonly headerTime: TimeoutList;
  readonly idleTime: TimeoutList;
  /** Interval at which an idle connection is checked. */
  readonly lookTime: TimeoutList;
  /** Each response is the last of its connection. */
  readonly isRetiring: boolean;
  /** An idle connection is closed at once. */
  readonly isClosing: boolean;
}

/** The origin of a request. */
export interface RequestOrigin {
  /** The client's address, or that of a proxy in front. */
  readonly peer: string;
  /** Whether the peer's forwarding headers are accepted. */
  readonly isTrusted: boolean;
  readonly scheme: 'http' | 'https';
  /** Trusted proxies of the listener. */
  readonly trusted: TrustedProxies;
}
