/**
 * One TCP connection and its path to an endpoint.
 *
 * 1. It takes a place in the cluster, or is closed: TCP has no way to report a refusal.
 * 2. It connects to the target, after a failure to another one. Data that the client sends in the meantime
 *    waits in its socket.
 * 3. A tunnel joins the two sockets, until both are closed.
 */
import type { Socket } from 'node:net';
import type { Cluster } from '../cluster/cluster.ts';
import type { Lease, Refusal } from '../cluster/lease.ts';
import type { CallOff, Timers } from '../cluster/target/cluster-context.ts';
import { type Target, upstreamTlsOptions } from '../cluster/target/target.ts';
import { Tries } from '../cluster/tries.ts';
import type { AccessLog } from '../listener/access-log.ts';
import type { ListenerCounters } from '../listener/listener-counters.ts';
import type { TimeoutList } from '../listener/timeout-list.ts';
import {
  breakReasonOf,
  type EndReason,
  type FailureReason,
  failureCodeOf,
  failureReasonOf,
} from '../source/upstream-failure.ts';
import { dial } from './dial.ts';
import { Tunnel, type TunnelOwner } from './tunnel.ts';

/** The listener of a connection. */
export interface TcpHost {
  readonly counters: ListenerCounters;
  /** Undefined when it is disabled. */
  readonly accessLog: AccessLog | undefined;
  readonly isCut: boolean;
  readonly timers: Timers;
  readonly idleTime: TimeoutList;
}

export interface TcpSessionParts {
  readonly front: TcpHost;
  readonly downstream: Socket;
  /** The socket below TLS; the same one without TLS. */
  readonly raw: Socket;
  readonly cluster: Cluster;
  /** The client's address. */
  readonly peer: string;
}

export class TcpSession implements TunnelOwner {
  readonly #parts: TcpSessionParts;
  readonly #tries: Tries;
  #lease: Lease | undefined;
  #callOffDial: CallOff | undefined;
  #tunnel: Tunnel | undefined;
  readonly #startedMs: number;
  #target: Target | undefined;
  /** Why the last attempt failed, or the connection ended early. */
  #failure: EndReason | undefined;

  constructor(parts: TcpSessionParts) {
    this.#parts = parts;
    this.#tries = new Tries(parts.cluster);
    this.#startedMs = parts.front.timers.monotonicMs();
  }

  start(): void {
    const { front, downstream, raw } = this.#parts;
    const { accessLog } = front;
    downstream.on('error', ignore);
    downstream.once('close', this.#onGone);
    if (accessLog !== undefined) raw.once('close', () => this.#logClosed(accessLog));
    // Reads ahead into the socket's buffer, which detects a disconnect of the client.
    downstream.read(0);
    const { cluster, peer } = this.#parts;
    this.#connect(cluster.acquireConnection(peer));
  }

  tunnelIdle(): void {
    this.#parts.front.counters.idleTimeouts += 1;
    this.#failure = 'idle_timeout';
  }

  tunnelBroken(fault: Error): void {
    if (this.#target !== undefined) this.#noteFailure(this.#target, breakReasonOf(fault), fault);
  }

  tunnelEnded(): void {
    this.#lease?.release('success');
    this.#lease = undefined;
    this.#tries.end();
  }

  #connect(place: Lease | Refusal): void {
    const { front, cluster, downstream } = this.#parts;
    const { config } = cluster;
    if (place.kind !== 'lease') {
      this.#failure = cluster.isUnresolved ? 'dns' : 'no_free_place';
      downstream.destroy();
      return;
    }
    this.#lease = place;
    const { target } = place;
    this.#target = target;
    this.#callOffDial = dial({
      target,
      timers: front.timers,
      timeoutMs: config.connectTimeoutMs,
      tls: config.tls && upstreamTlsOptions(config.tls, target.endpoint),
      owner: {
        received: (chunk) => this.#tunnel?.feed(chunk) ?? true,
        connected: (upstream) => this.#join(upstream, config.tls === undefined),
        dialFailed: (fault) => this.#noteFault(target, fault),
      },
    });
  }

  #join(upstream: Socket, isFed: boolean): void {
    const { front, downstream, raw } = this.#parts;
    this.#callOffDial = undefined;
    this.#lease?.answered();
    downstream.off('close', this.#onGone);
    this.#tunnel = new Tunnel({ downstream, raw, upstream, isFed, idle: front.idleTime, owner: this });
  }

  #noteFault(target: Target, fault: Error): void {
    const { downstream, peer } = this.#parts;
    this.#callOffDial = undefined;
    const lease = this.#lease;
    this.#lease = undefined;
    const reason = failureReasonOf(fault);
    const outcome = reason === 'no_free_place' ? 'not_sent' : 'connect_failure';
    if (!downstream.destroyed) this.#noteFailure(target, reason, fault);
    const isLeft = !downstream.destroyed && outcome === 'connect_failure';
    if (lease !== undefined && isLeft && this.#tries.mayConnectAgain(target)) {
      this.#connect(lease.passOn({ outcome, statusCode: 0 }, { key: peer, tried: this.#tries.tried }));
      return;
    }
    lease?.release(outcome);
    downstream.destroy();
  }

  #noteFailure(target: Target, reason: FailureReason, fault: Error): void {
    this.#failure = reason;
    this.#parts.cluster.failures.note({ reason, target: target.address, code: failureCodeOf(fault) });
  }

  /** The client disconnected before the tunnel existed. */
  readonly #onGone = (): void => {
    const lease = this.#lease;
    this.#lease = undefined;
    lease?.release('client_gone');
    this.#tries.end();
    this.#callOffDial?.();
  };

  #logClosed(log: AccessLog): void {
    const { front, peer, raw, cluster } = this.#parts;
    log.closed({
      peer,
      durationMs: front.timers.monotonicMs() - this.#startedMs,
      bytesReceived: raw.bytesRead,
      bytesSent: raw.bytesWritten,
      cluster: cluster.name,
      endpoint: this.#target?.endpoint.text,
      reason: front.isCut ? 'drain_cut' : (this.#failure ?? this.#clientsReason()),
    });
  }

  /** A side that is closed before both have ended was broken off. */
  #clientsReason(): EndReason | undefined {
    const { readableEnded, writableFinished } = this.#parts.downstream;
    return readableEnded && writableFinished ? undefined : 'client_gone';
  }
}

function ignore(): void {
  // Intended: an error closes the socket.
}
