import { randomBytes } from 'node:crypto';
import type { Graph, SeqPoint } from '#graph/engine';
import type { GraphSnapshot, ScopedSnapshot } from '#graph/memory';
import { type Clock, DomainError } from '#platform/foundation';
import type { QueryResult } from '../result/query-result.ts';
import { CURSOR_IDLE_MS, type QuerySettings } from './query-settings.ts';

/** A paged result, with the snapshot to which its numbers refer. */
export interface PinnedResult {
  readonly pql: string;
  readonly result: QueryResult;
  readonly snapshot: GraphSnapshot | ScopedSnapshot;
  /** The snapshot's. */
  readonly seen: SeqPoint;
}

/** Limits of cursors. */
interface Pinnable {
  readonly pql: string;
  readonly result: { memory(): number };
  readonly snapshot: { release(): void };
}

export interface CursorLimits {
  readonly pinsMax: number;
  /** Maximum memory of all results in total. */
  readonly bytesMax: number;
}

/** Memory of a pin without its result and the query's text. */
const PIN_BYTES = 1_024;

interface Pin<Pinned> {
  readonly pinned: Pinned;
  readonly bytes: number;
  usedMs: number;
}

/** The start of a page. */
export interface CursorPosition<Pinned> {
  readonly pin: Pinned;
  /** The key of the result. */
  readonly name: string;
  readonly offset: number;
}

const TOKEN_BYTES = 16;
const NODE_BYTES = 6;
/** Tokens of earlier releases contain no node. */
const TOKEN = /^(?:([\w-]{1,64})\.)?([\w-]{22})\.(\d{1,10})$/;

/**
 * Results behind cursors. A token contains this node, the result and the offset of its page, so that a page
 * can be requested again. Above the limits, the results idle longest are evicted; a result that exceeds the
 * whole budget is kept until the next one is added. An evicted result is reported as CURSOR_EXPIRED; so is
 * one of another node, or of this node before its restart, with the node.
 */
export class Cursors<Pinned extends Pinnable = PinnedResult> {
  readonly #clock: Clock;
  readonly #limits: CursorLimits;
  readonly #node: string;
  #bytes = 0;
  /** Longest idle first: using a pin moves it to the end. */
  readonly #pins = new Map<string, Pin<Pinned>>();

  /** `node`: letters, digits, `-` and `_`; default: generated for these cursors. */
  constructor(clock: Clock, limits: CursorLimits, node = randomBytes(NODE_BYTES).toString('hex')) {
    this.#clock = clock;
    this.#limits = limits;
    this.#node = node;
  }

  get size(): number {
    return this.#pins.size;
  }

  /** Approximate memory of all results. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps a result, and returns its name. */
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

  /** The token of a page of a kept result. */
  token(name: string, offset: number): string {
    return `${this.#node}.${name}.${String(offset)}`;
  }

  /** The result and offset of a token; counts as a use of the result. */
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

  /** Releases results that were idle for too long. */
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

/** Creates cursors with the limits of the settings; tokens name the node of the graph. */
export function createCursors(clock: Clock, settings: QuerySettings, graph: Graph): Cursors {
  const { cursorsMax: pinsMax, cursorsMemory: bytesMax } = settings;
  return new Cursors(clock, { pinsMax, bytesMax }, graph.position()?.node);
}
