import { randomBytes } from 'node:crypto';
import { type Clock, DomainError } from '#foundation';
import type { QueryResult } from '#query';
import type { GraphSnapshot } from '#graph';
import { CURSOR_IDLE_MS } from './query-limits.ts';

/** A result that is paged through, with the snapshot its numbers are of. */
export interface PinnedResult {
  readonly pql: string;
  readonly result: QueryResult;
  readonly snapshot: GraphSnapshot;
}

/** What a cursor can hold on to. */
interface Pinnable {
  readonly snapshot: { release(): void };
}

interface Pin<Pinned> {
  readonly pinned: Pinned;
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
const TOKEN = /^([\w-]{22})\.(\d{1,10})$/;

/**
 * Results behind cursors. A token names the result and the offset of its page, so that a page can be asked
 * for again. Beyond the bound the one that was idle longest goes; a result that is gone answers
 * CURSOR_EXPIRED.
 */
export class Cursors<Pinned extends Pinnable = PinnedResult> {
  readonly #clock: Clock;
  readonly #pinsMax: number;
  /** Longest idle first: a pin that is used moves to the end. */
  readonly #pins = new Map<string, Pin<Pinned>>();

  constructor(clock: Clock, pinsMax: number) {
    this.#clock = clock;
    this.#pinsMax = pinsMax;
  }

  get size(): number {
    return this.#pins.size;
  }

  /** Keeps a result, and gives its name. */
  pin(pinned: Pinned): string {
    this.sweep();
    for (const oldest of this.#pins.keys()) {
      if (this.#pins.size < this.#pinsMax) break;
      this.#drop(oldest);
    }
    const name = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#pins.set(name, { pinned, usedMs: this.#clock.monotonicMs() });
    return name;
  }

  /** The result and offset that a token names, which is used anew by this. */
  find(token: string): CursorPosition<Pinned> {
    const [, name = '', offset = ''] = TOKEN.exec(token) ?? [];
    if (name === '') throw new DomainError('INVALID_REQUEST', 'cursor: expected one that a reply has given');
    this.sweep();
    const pin = this.#pins.get(name);
    if (pin === undefined) {
      throw new DomainError('CURSOR_EXPIRED', 'the cursor was idle for too long: run the query again');
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
    this.#pins.get(name)?.pinned.snapshot.release();
    this.#pins.delete(name);
  }
}

export function cursorToken(name: string, offset: number): string {
  return `${name}.${String(offset)}`;
}
