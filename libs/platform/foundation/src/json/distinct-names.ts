/**
 * Names that occur twice in an object. `JSON.parse` keeps the last value only: what the first one said would
 * be missing without a word.
 *
 * A {@link NameFilter} sees the text once, with little work for a name; only where names may repeat does
 * {@link findRepeatedName} compare them.
 *
 * *Hot path*: positions are within the bytes.
 */
import type { Steps } from '../steps.ts';

const [BLANK, QUOTE, COLON, BACKSLASH] = [0x20, 0x22, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Names of an object that are compared one by one; the hashes of more are in a set. */
const LINEAR_MAX = 24;
/** Work between two pauses. */
const STEP_CHARACTERS = 128 * 1024;

/** Whether an object of a text may have a name twice: never wrong where it says no. */
export class NameFilter {
  /** True once two names of an object have the same hash, or one has an escape: it has several spellings. */
  mayRepeat = false;
  /** Hashes of the names of all open brackets; those of each begin at its start. */
  readonly #hashes: number[] = [];
  #count = 0;
  readonly #starts: number[] = [];
  /** By depth, for objects of more than {@link LINEAR_MAX} names. */
  readonly #sets: (Set<number> | undefined)[] = [];

  open(): void {
    this.#starts.push(this.#count);
    this.#sets.push(undefined);
  }

  close(): void {
    this.#count = this.#starts.pop() ?? 0;
    this.#sets.pop();
  }

  /** A string, whose quotes are at `start` and `end`; one before a colon is a name. */
  string(bytes: Buffer, start: number, end: number): void {
    let after = end + 1;
    while (bytes[after]! <= BLANK) after++;
    if (bytes[after] !== COLON) return;
    let hash = 0;
    for (let i = start + 1; i < end; i++) {
      const byte = bytes[i]!;
      if (byte === BACKSLASH) this.mayRepeat = true;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (this.#isKnown(hash)) this.mayRepeat = true;
  }

  /** Whether the innermost object has a name of this hash already; it then has. */
  #isKnown(hash: number): boolean {
    const start = this.#starts.at(-1) ?? 0;
    const set = this.#sets.at(-1);
    if (set !== undefined) return set.size === set.add(hash).size;
    for (let i = start; i < this.#count; i++) if (this.#hashes[i] === hash) return true;
    this.#hashes[this.#count++] = hash;
    const isLong = this.#count - start > LINEAR_MAX;
    if (isLong) this.#sets[this.#sets.length - 1] = new Set(this.#hashes.slice(start, this.#count));
    return false;
  }
}

export interface RepeatedName {
  readonly name: string;
  /** The line of its second occurrence, from 1. */
  readonly line: number;
}

/** The first name that occurs twice in an object of a valid JSON text; null without one. */
export function* findRepeatedName(text: string): Steps<RepeatedName | null> {
  const open: (Set<string> | undefined)[] = [];
  let next = STEP_CHARACTERS;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_OBJECT) open.push(new Set());
    else if (code === OPEN_LIST) open.push(undefined);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) open.pop();
    else if (code === QUOTE) {
      const start = at;
      at = endOfText(text, start);
      if (!isName(text, at)) continue;
      const name = JSON.parse(text.slice(start, at + 1)) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return { name, line: text.slice(0, start).split('\n').length };
      names?.add(name);
    }
    if (at >= next) {
      next = at + STEP_CHARACTERS;
      yield;
    }
  }
  return null;
}

/** Displayed characters of a name. */
const SHOWN_MAX = 100;

/** For a message, after `expected`: `each name once in an object, got "a" twice, again in line 3`. */
export function repetitionText({ name, line }: RepeatedName): string {
  const shown = JSON.stringify(name.slice(0, SHOWN_MAX));
  return `each name once in an object, got ${shown} twice, again in line ${String(line)}`;
}

/** The place of the quote that ends the text which begins at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE || at >= text.length) return at;
  }
}

/** Whether a colon follows: only names have one. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= BLANK) at++;
  return text.charCodeAt(at) === COLON;
}
