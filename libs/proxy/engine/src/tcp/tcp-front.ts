import type { Socket } from 'node:net';
import type { Cluster } from '../cluster/cluster.ts';
import type { Timers } from '../cluster/target/cluster-surroundings.ts';
import { Front, type ListenerOf } from '../listener/front.ts';
import { plainAddress } from '../listener/peer.ts';
import type { Timeouts } from '../listener/timeouts.ts';
import { TcpSession } from './tcp-session.ts';

export interface TcpSurroundings {
  readonly timers: Timers;
  readonly timeouts: Timeouts;
}

/** A TCP listener, as one configuration had it. A stream may be silent for long: none is ever idle. */
export class TcpFront extends Front {
  readonly #cluster: Cluster;
  readonly #timers: Timers;
  readonly #timeouts: Timeouts;

  constructor(listener: ListenerOf, cluster: Cluster, { timers, timeouts }: TcpSurroundings) {
    super(listener);
    this.#cluster = cluster;
    this.#timers = timers;
    this.#timeouts = timeouts;
  }

  override closeIdle(): void {
    // On purpose.
  }

  protected override get requestsActive(): number {
    return 0;
  }

  protected override begin(downstream: Socket, raw: Socket): void {
    const { counters, accessLog } = this;
    const session = new TcpSession({
      downstream,
      raw,
      cluster: this.#cluster,
      peer: plainAddress(downstream.remoteAddress),
      timers: this.#timers,
      idle: this.#timeouts.of(this.config.idleTimeoutMs),
      onIdle: () => (counters.idleTimeouts += 1),
      accessLog,
    });
    session.start();
  }
}
