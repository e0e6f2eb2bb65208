import type { Difference } from './difference.ts';

/** Bytes of all windows; the one that was used last is kept in any case. */
const BYTES_MAX = 32 * 2 ** 20;
/** Bytes of one window. */
const WINDOW_BYTES_MAX = BYTES_MAX / 2;
/** A window that no page has used for so long is freed. */
const IDLE_MS = 60_000;
const BYTES_PER_CHARACTER = 2;
/** Of a value, and of its place in a list or an object. */
const BYTES_PER_VALUE = 24;

/** A record that was compared. */
interface Compared {
  /** Its key as a text. */
  readonly name: string;
  readonly difference: Difference;
}

export interface WindowPage {
  readonly changes: readonly Difference[];
  /** The name to go on after; absent if nothing follows. */
  readonly next?: string;
}

/** Consecutive differences of two moments, in the order of their names. */
export class DiffWindow {
  readonly #start: string;
  readonly #found: Compared[] = [];
  /** The last name that was compared. */
  #end: string;
  #bytes = 0;
  #isLast = false;

  /** `start`: the name after which it begins. */
  constructor(start: string) {
    this.#start = start;
    this.#end = start;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= WINDOW_BYTES_MAX;
  }

  get length(): number {
    return this.#found.length;
  }

  /** What was found of the next record: undefined if it has no difference. */
  add(name: string, difference: Difference | undefined): void {
    this.#end = name;
    if (difference === undefined) return;
    this.#found.push({ name, difference });
    this.#bytes += heldBytes(name) + heldBytes(difference);
  }

  /** Nothing follows. */
  close(): void {
    this.#isLast = true;
  }

  /** Whether it has what follows a name. */
  has(after: string): boolean {
    return this.#start <= after && (after < this.#end || this.#isLast);
  }

  page(after: string, limit: number): WindowPage {
    const first = this.#firstAfter(after);
    const shown = this.#found.slice(first, first + limit);
    const changes = shown.map(({ difference }) => difference);
    const isEnd = first + limit >= this.#found.length;
    if (isEnd && this.#isLast) return { changes };
    return { changes, next: isEnd ? this.#end : (shown.at(-1)?.name ?? this.#end) };
  }

  #firstAfter(after: string): number {
    let low = 0;
    let high = this.#found.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#found[middle]?.name ?? '') <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** About what a value takes in memory. */
function heldBytes(value: unknown): number {
  if (typeof value === 'string') return BYTES_PER_VALUE + value.length * BYTES_PER_CHARACTER;
  if (typeof value !== 'object' || value === null) return BYTES_PER_VALUE;
  return Object.values(value).reduce((bytes: number, item) => bytes + heldBytes(item), BYTES_PER_VALUE);
}

interface Kept {
  readonly window: DiffWindow;
  readonly idle: NodeJS.Timeout;
}

/** Windows for the next pages, one a question; bounded in bytes and in time. */
export class ReadAhead {
  /** The one idle longest first. */
  readonly #kept = new Map<string, Kept>();

  get(question: string, after: string): DiffWindow | undefined {
    const kept = this.#kept.get(question);
    if (kept?.window.has(after) !== true) return undefined;
    this.#kept.delete(question);
    this.#kept.set(question, kept);
    kept.idle.refresh();
    return kept.window;
  }

  keep(question: string, window: DiffWindow): void {
    this.#drop(question);
    const idle = setTimeout(() => {
      this.#drop(question);
    }, IDLE_MS).unref();
    this.#kept.set(question, { window, idle });
    let bytes = 0;
    for (const each of this.#kept.values()) bytes += each.window.bytes;
    for (const [oldest, each] of this.#kept) {
      if (bytes <= BYTES_MAX) break;
      bytes -= each.window.bytes;
      this.#drop(oldest);
    }
  }

  #drop(question: string): void {
    clearTimeout(this.#kept.get(question)?.idle);
    this.#kept.delete(question);
  }
}
