/**
 * One TCP connection and its way to an endpoint.
 *
 * 1. A place in the cluster, or the connection is closed: TCP has no words for a refusal.
 * 2. A connection to the target; when that fails, to another one, as often as the cluster's `retry` allows.
 *    What the client sends in the meantime waits in its socket.
 * 3. A tunnel between the two, until both are closed.
 */
import type { Socket } from 'node:net';
import type { Cluster } from '../cluster/cluster.ts';
import type { Lease } from '../cluster/lease.ts';
import type { RetryPermit } from '../cluster/retries.ts';
import type { CallOff, Timers } from '../cluster/target/cluster-surroundings.ts';
import { type Target, upstreamTlsOptions } from '../cluster/target/target.ts';
import type { AccessLog } from '../listener/access-log.ts';
import type { TimeoutList } from '../listener/timeout-list.ts';
import {
  breakReasonOf,
  type FailureReason,
  failureCodeOf,
  failureReasonOf,
} from '../source/upstream-failure.ts';
import { dial } from './dial.ts';
import { Tunnel } from './tunnel.ts';

export interface TcpSessionParts {
  readonly downstream: Socket;
  /** Below TLS; the same where there is none. */
  readonly raw: Socket;
  readonly cluster: Cluster;
  /** The client's address. */
  readonly peer: string;
  readonly timers: Timers;
  readonly idle: TimeoutList;
  readonly onIdle: () => void;
  readonly accessLog: AccessLog | undefined;
}

const NONE: readonly Target[] = [];

export class TcpSession {
  readonly #parts: TcpSessionParts;
  #tried = NONE;
  #lease: Lease | undefined;
  #permit: RetryPermit | undefined;
  #callOffDial: CallOff | undefined;
  #tunnel: Tunnel | undefined;
  readonly #startedMs: number;
  #target: Target | undefined;
  /** Why the last try failed. */
  #failure: FailureReason | undefined;

  constructor(parts: TcpSessionParts) {
    this.#parts = parts;
    this.#startedMs = parts.timers.monotonicMs();
  }

  start(): void {
    const { downstream, raw, accessLog } = this.#parts;
    downstream.on('error', ignore);
    downstream.once('close', this.#onGone);
    if (accessLog !== undefined) raw.once('close', () => this.#logClosed(accessLog));
    // Reads ahead, as far as the socket keeps it: so it is seen when the client breaks off.
    downstream.read(0);
    this.#try();
  }

  #try(): void {
    const { cluster, downstream, peer, timers } = this.#parts;
    const { config } = cluster;
    const place = cluster.acquireConnection(peer, this.#tried);
    if (place.kind !== 'lease') {
      this.#failure = cluster.targets.length === 0 ? 'dns' : 'no_free_place';
      downstream.destroy();
      return;
    }
    this.#lease = place;
    const { target } = place;
    this.#target = target;
    this.#callOffDial = dial({
      target,
      timers,
      timeoutMs: config.connectTimeoutMs,
      tls: config.tls && upstreamTlsOptions(config.tls, target.endpoint),
      onData: (chunk) => this.#tunnel?.feed(chunk) ?? true,
      onConnected: (upstream) => this.#join(upstream, target, config.tls === undefined),
      onFailed: (fault) => this.#noteFault(target, fault),
    });
  }

  #join(upstream: Socket, target: Target, isFed: boolean): void {
    const { downstream, raw, idle, onIdle } = this.#parts;
    this.#callOffDial = undefined;
    downstream.off('close', this.#onGone);
    const onClosed = (): void => this.#release();
    const onFault = (fault: Error): void => this.#noteFailure(target, breakReasonOf(fault), fault);
    this.#tunnel = new Tunnel({ downstream, raw, upstream, isFed, idle, onIdle, onFault, onClosed });
  }

  #noteFault(target: Target, fault: Error): void {
    const { cluster, downstream } = this.#parts;
    this.#callOffDial = undefined;
    const reason = failureReasonOf(fault);
    this.#lease?.release(reason === 'no_free_place' ? 'not_sent' : 'connect_failure');
    this.#lease = undefined;
    if (downstream.destroyed) return;
    this.#noteFailure(target, reason, fault);
    const { retry } = cluster.config;
    const isWanted = retry?.on.connectFailure === true && this.#tried.length < retry.max;
    this.#permit?.release();
    this.#permit = isWanted ? cluster.acquireRetry() : undefined;
    if (this.#permit === undefined) {
      downstream.destroy();
      return;
    }
    this.#tried = [...this.#tried, target];
    this.#try();
  }

  #noteFailure(target: Target, reason: FailureReason, fault: Error): void {
    this.#failure = reason;
    this.#parts.cluster.failures.note({ reason, target: target.address, code: failureCodeOf(fault) });
  }

  /** The client broke off while there was no tunnel yet. */
  readonly #onGone = (): void => {
    const lease = this.#lease;
    this.#lease = undefined;
    lease?.release('client_gone');
    this.#permit?.release();
    this.#permit = undefined;
    this.#callOffDial?.();
  };

  #logClosed(log: AccessLog): void {
    const { peer, raw, cluster, timers } = this.#parts;
    log.closed({
      peer,
      durationMs: timers.monotonicMs() - this.#startedMs,
      bytesReceived: raw.bytesRead,
      bytesSent: raw.bytesWritten,
      cluster: cluster.name,
      endpoint: this.#target?.endpoint.text,
      reason: this.#failure,
    });
  }

  #release(): void {
    this.#lease?.release('success');
    this.#permit?.release();
    this.#lease = undefined;
    this.#permit = undefined;
  }
}

function ignore(): void {
  // On purpose: what goes wrong with a socket closes it.
}
