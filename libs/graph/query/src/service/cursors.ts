import { randomBytes } from 'node:crypto';
import type { GraphSnapshot } from '#graph/engine';
import { type Clock, DomainError } from '#platform/foundation';
import type { QueryResult } from '../result/query-result.ts';
import { CURSOR_IDLE_MS } from './query-settings.ts';

/** A result that is paged through, with the snapshot its numbers are of. */
export interface PinnedResult {
  readonly pql: string;
  readonly result: QueryResult;
  readonly snapshot: GraphSnapshot;
}

/** What a cursor can hold on to. */
interface Pinnable {
  readonly pql: string;
  readonly result: { memory(): number };
  readonly snapshot: { release(): void };
}

export interface CursorLimits {
  readonly pinsMax: number;
  /** What all results together may hold on to. */
  readonly bytesMax: number;
}

/** What a pin takes beside its result and the query's text. */
const PIN_BYTES = 1_024;

interface Pin<Pinned> {
  readonly pinned: Pinned;
  readonly bytes: number;
  usedMs: number;
}

/** Where a page begins. */
export interface CursorPosition<Pinned> {
  readonly pin: Pinned;
  /** Under which the result is kept. */
  readonly name: string;
  readonly offset: number;
}

const TOKEN_BYTES = 16;
const NODE_BYTES = 6;
/** Those of earlier releases name no node. */
const TOKEN = /^(?:([\w-]{1,64})\.)?([\w-]{22})\.(\d{1,10})$/;

/**
 * Results behind cursors. A token names this node, the result and the offset of its page, so that a page can
 * be asked for again. Beyond the bounds those that were idle longest go; a result that is larger than the
 * whole budget is kept until the next one comes. A result that is gone answers CURSOR_EXPIRED; so does one of
 * another node, or of this one before its restart, with the node.
 */
export class Cursors<Pinned extends Pinnable = PinnedResult> {
  readonly #clock: Clock;
  readonly #limits: CursorLimits;
  readonly #node: string;
  #bytes = 0;
  /** Longest idle first: a pin that is used moves to the end. */
  readonly #pins = new Map<string, Pin<Pinned>>();

  /** `node`: letters, digits, `-` and `_`; default: made for these cursors. */
  constructor(clock: Clock, limits: CursorLimits, node = randomBytes(NODE_BYTES).toString('hex')) {
    this.#clock = clock;
    this.#limits = limits;
    this.#node = node;
  }

  get size(): number {
    return this.#pins.size;
  }

  /** What all results together hold on to, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps a result, and gives its name. */
  pin(pinned: Pinned): string {
    this.sweep();
    const { pinsMax, bytesMax } = this.#limits;
    const bytes = PIN_BYTES + pinned.pql.length + pinned.result.memory();
    for (const oldest of this.#pins.keys()) {
      if (this.#pins.size < pinsMax && this.#bytes + bytes <= bytesMax) break;
      this.#drop(oldest);
    }
    const name = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#pins.set(name, { pinned, bytes, usedMs: this.#clock.monotonicMs() });
    this.#bytes += bytes;
    return name;
  }

  /** Names a page of a result that is kept. */
  token(name: string, offset: number): string {
    return `${this.#node}.${name}.${String(offset)}`;
  }

  /** The result and offset that a token names, which is used anew by this. */
  find(token: string): CursorPosition<Pinned> {
    const [, node, name = '', offset = ''] = TOKEN.exec(token) ?? [];
    if (name === '') throw new DomainError('INVALID_REQUEST', 'cursor: expected one that a reply has given');
    if (node !== this.#node) {
      const message = 'the cursor is of another node, or of this one before a restart: run the query again';
      throw new DomainError('CURSOR_EXPIRED', message, node === undefined ? {} : { details: { node } });
    }
    this.sweep();
    const pin = this.#pins.get(name);
    if (pin === undefined) {
      throw new DomainError(
        'CURSOR_EXPIRED',
        'the cursor was idle for too long, or made room for newer ones: run the query again',
      );
    }
    this.#pins.delete(name);
    pin.usedMs = this.#clock.monotonicMs();
    this.#pins.set(name, pin);
    return { pin: pin.pinned, offset: Number(offset), name };
  }

  /** Lets go of what was idle for too long. */
  sweep(): void {
    const idleSinceMs = this.#clock.monotonicMs() - CURSOR_IDLE_MS;
    for (const [name, pin] of this.#pins) {
      if (pin.usedMs > idleSinceMs) break;
      this.#drop(name);
    }
  }

  clear(): void {
    for (const name of [...this.#pins.keys()]) this.#drop(name);
  }

  #drop(name: string): void {
    const pin = this.#pins.get(name);
    if (pin === undefined) return;
    pin.pinned.snapshot.release();
    this.#bytes -= pin.bytes;
    this.#pins.delete(name);
  }
}
