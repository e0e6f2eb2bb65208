/**
 * Two joined sockets. Hot path: one call for each chunk.
 *
 * 1. Data of each side is forwarded as fast as the other side accepts it.
 * 2. One side may end while the other still sends: a half-closed connection stays half closed.
 * 3. A side that breaks, or is closed before both have ended, resets the other, so that truncated data does
 *    not look complete. An upstream that still sends after its client has left is reset too.
 * 4. Without traffic in either direction for the idle time, both are closed.
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
  /** The upstream's data arrives by {@link Tunnel.feed}. */
  readonly isFed?: boolean;
  readonly idle: TimeoutList;
  readonly owner: TunnelOwner;
}

/** The connection that became a tunnel. */
export interface TunnelOwner {
  /** The idle time-out expired: both sides are being closed. */
  tunnelIdle(): void;
  /** The upstream failed. */
  tunnelBroken(fault: Error): void;
  /** Called once, when both are closed; `hasClientLeft` when the client broke the connection off. */
  tunnelEnded(hasClientLeft: boolean): void;
}

export class Tunnel implements Expirable {
  readonly #parts: TunnelParts;
  readonly #deadline = new Deadline(this);
  #open = 2;
  /** The side that was broken off first. */
  #broken: Duplex | undefined;

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

  /** Returns false when the upstream has to wait, until it is resumed. */
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

  /** Undelivered data is lost: the close must not look like a clean end. */
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
    from.on('error', () => this.#breakOff(from, to));
    if (from.closed) this.#leave(from, to);
    else from.once('close', () => this.#leave(from, to));
  }

  #leave(from: Duplex, to: Duplex): void {
    // The side was closed without both ends: it was broken off.
    if (!from.readableEnded || !from.writableFinished) this.#breakOff(from, to);
    // Only its end is awaited, which is no reason to keep the process running.
    else if (to === this.#parts.upstream && to instanceof Socket) to.unref();
    this.#open -= 1;
    if (this.#open > 0) return;
    this.#deadline.stop();
    this.#parts.owner.tunnelEnded(this.#broken === this.#parts.downstream);
  }

  #breakOff(from: Duplex, to: Duplex): void {
    this.#broken ??= from;
    this.#reset(to);
  }

  #reset(side: Duplex): void {
    const socket = side === this.#parts.downstream ? this.#parts.raw : side;
    if (socket instanceof Socket && !(socket instanceof TLSSocket)) resetSocket(socket);
    else socket.destroy();
  }
}
