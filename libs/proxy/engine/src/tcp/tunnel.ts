/**
 * Two sockets joined. Hot path: one call for each part that comes.
 *
 * 1. What comes from one side goes to the other, as fast as that takes it.
 * 2. One side may end while the other still speaks: a half-closed connection stays half closed.
 * 3. A side that breaks, or is closed before both have ended, takes the other with it, by a reset, so that
 *    what was cut does not look whole. An upstream that still speaks when its client is gone is reset too.
 * 4. Without a byte in either direction for the idle time, both are closed.
 */
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Deadline, type Expirable, type TimeoutList } from '../listener/timeout-list.ts';
import { resetSocket } from './reset-socket.ts';

export interface TunnelParts {
  readonly downstream: Duplex;
  /** The client's socket, below TLS. */
  readonly raw: Socket;
  readonly upstream: Duplex;
  /** What comes from upstream is given to {@link Tunnel.feed}. */
  readonly isFed?: boolean;
  readonly idle: TimeoutList;
  readonly owner: TunnelOwner;
}

/** Whose connection became a tunnel. */
export interface TunnelOwner {
  /** Nothing came for the idle time: both sides are being closed. */
  tunnelIdle(): void;
  /** The upstream broke off. */
  tunnelBroken(fault: Error): void;
  /** Called once, when both are closed. */
  tunnelEnded(): void;
}

export class Tunnel implements Expirable {
  readonly #parts: TunnelParts;
  readonly #deadline = new Deadline(this);
  #open = 2;

  constructor(parts: TunnelParts) {
    const { downstream, upstream, isFed = false, idle, owner } = parts;
    this.#parts = parts;
    upstream.once('error', (fault) => owner.tunnelBroken(fault));
    this.#deadline.start(idle);
    downstream.on('data', (chunk: Buffer) => {
      this.#deadline.touch();
      if (!upstream.write(chunk)) downstream.pause();
    });
    downstream.resume();
    if (!isFed) this.#readUpstream();
    this.#join(downstream, upstream);
    this.#join(upstream, downstream);
  }

  /** Gives false when the upstream has to wait, until it is resumed. */
  feed(chunk: Buffer): boolean {
    const { downstream, upstream } = this.#parts;
    this.#deadline.touch();
    if (!downstream.destroyed) return downstream.write(chunk);
    this.#reset(upstream);
    return true;
  }

  expired(): void {
    this.#parts.owner.tunnelIdle();
    this.#close(this.#parts.downstream);
    this.#close(this.#parts.upstream);
  }

  /** What was not taken is lost: that must not look like an end. */
  #close(side: Duplex): void {
    if (side.writableLength > 0) this.#reset(side);
    else side.destroy();
  }

  #readUpstream(): void {
    const { upstream } = this.#parts;
    upstream.on('data', (chunk: Buffer) => {
      if (!this.feed(chunk)) upstream.pause();
    });
    upstream.resume();
  }

  #join(from: Duplex, to: Duplex): void {
    to.on('drain', () => from.resume());
    from.on('end', () => to.end());
    from.on('error', () => this.#reset(to));
    if (from.closed) this.#leave(from, to);
    else from.once('close', () => this.#leave(from, to));
  }

  #leave(from: Duplex, to: Duplex): void {
    // A side that was closed without an end, its own or ours, was broken off.
    if (!from.readableEnded || !from.writableFinished) this.#reset(to);
    // Nothing but its end is waited for, and that is no reason for the process to stay.
    else if (to === this.#parts.upstream && to instanceof Socket) to.unref();
    this.#open -= 1;
    if (this.#open > 0) return;
    this.#deadline.stop();
    this.#parts.owner.tunnelEnded();
  }

  #reset(side: Duplex): void {
    const socket = side === this.#parts.downstream ? this.#parts.raw : side;
    if (socket instanceof Socket && !(socket instanceof TLSSocket)) resetSocket(socket);
    else socket.destroy();
  }
}
