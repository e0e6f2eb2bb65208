import type { Socket } from 'node:net';
import type { Cluster } from '../cluster/cluster.ts';
import type { Timers } from '../cluster/target/cluster-context.ts';
import { Front, type ListenerOf } from '../listener/front.ts';
import { plainAddress } from '../listener/peer.ts';
import type { TimeoutList } from '../listener/timeout-list.ts';
import type { Timeouts } from '../listener/timeouts.ts';
import { type TcpHost, TcpSession } from './tcp-session.ts';

/** A TCP listener under one configuration. A stream may be silent for long: no connection counts as idle. */
export class TcpFront extends Front implements TcpHost {
  readonly timers: Timers;
  readonly idleTime: TimeoutList;
  readonly #cluster: Cluster;

  constructor(listener: ListenerOf, cluster: Cluster, timeouts: Timeouts) {
    super(listener, timeouts);
    this.#cluster = cluster;
    this.timers = timeouts.timers;
    this.idleTime = timeouts.of(listener.config.idleTimeoutMs);
  }

  protected override get requestsActive(): number {
    return 0;
  }

  protected override begin(downstream: Socket, raw: Socket): void {
    const session = new TcpSession({
      front: this,
      downstream,
      raw,
      cluster: this.#cluster,
      peer: plainAddress(downstream.remoteAddress),
    });
    session.start();
  }
}
