/**
 * Parses a large JSON text in slices, so that other work can run in between.
 *
 * 1. One pass over the bytes tracks brackets and strings. The first comma after the slice size is reached is
 *    a cut: the members before it are parsed on their own, as the content of a list or map.
 * 2. A bracket that is open at a cut is _split_: its value is built from slices. All enclosing brackets are
 *    split too; others are parsed within their slice.
 * 3. `JSON.parse` processes every byte except the commas, brackets and blanks around split values, so it
 *    rejects the same texts and returns the same values.
 *
 * *Hot path*: positions are within the bytes.
 */
import type { Steps } from '../steps.ts';
import type { NameFilter } from './distinct-names.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;

type Container = unknown[] | Record<string, unknown>;

interface Bracket {
  readonly isList: boolean;
  readonly start: number;
  /** Start of the members that are not parsed yet. */
  pending: number;
  /** Start of the last member. */
  member: number;
  /** The container, once the bracket is split. */
  value: Container | undefined;
  /** Key of a split member of a map. */
  key: string;
  /** A split member ends before `pending`: a comma or the closing bracket must follow. */
  hasMember: boolean;
}

export interface SliceOptions {
  readonly sliceBytes: number;
  readonly depthMax: number;
  /** Sees all names; default none. */
  readonly names?: NameFilter;
  /** Parses one slice; default `JSON.parse`. */
  readonly parse?: (text: string) => unknown;
}

/** Throws SyntaxError where `JSON.parse` does, and RangeError for a text nested deeper than `depthMax`. */
export function* parseInSlices(bytes: Buffer, options: SliceOptions): Steps<unknown> {
  const { sliceBytes, names } = options;
  const slices = new Slices(bytes, options);
  let next = sliceBytes;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      const end = endOfString(bytes, i + 1);
      names?.string(bytes, i, end);
      i = end;
    } else if (byte === OPEN_LIST || byte === OPEN_MAP) {
      slices.open(i, byte === OPEN_LIST);
      names?.open();
    } else if (byte === CLOSE_LIST || byte === CLOSE_MAP) {
      slices.close(i, byte === CLOSE_LIST);
      names?.close();
    } else if (byte === COMMA && slices.comma(i, i >= next)) {
      next = i + sliceBytes;
      yield;
    }
  }
  return slices.end();
}

class Slices {
  readonly #bytes: Buffer;
  readonly #depthMax: number;
  readonly #parse: (text: string) => unknown;
  readonly #open: Bracket[] = [];
  /** Result of the outermost bracket, once it is closed and was split. */
  #result: { readonly value: Container; readonly end: number } | undefined;

  constructor(bytes: Buffer, { depthMax, parse = JSON.parse }: SliceOptions) {
    this.#bytes = bytes;
    this.#depthMax = depthMax;
    this.#parse = parse;
  }

  open(start: number, isList: boolean): void {
    if (this.#open.length === this.#depthMax) throw new RangeError('nested too deeply');
    const [pending, member] = [start + 1, start + 1];
    this.#open.push({ isList, start, pending, member, value: undefined, key: '', hasMember: false });
  }

  close(at: number, isList: boolean): void {
    const bracket = this.#open.pop();
    if (bracket?.value === undefined) return;
    if (bracket.isList !== isList) throw new SyntaxError('another bracket is open');
    this.#onBracket(bracket, at);
    const parent = this.#open.at(-1);
    if (parent?.value === undefined) {
      this.#result = { value: bracket.value, end: at + 1 };
      return;
    }
    put(parent.value, parent.key, bracket.value);
    parent.pending = at + 1;
    parent.hasMember = true;
  }

  /** Returns whether the comma was a cut. */
  comma(at: number, isDue: boolean): boolean {
    const bracket = this.#open.at(-1);
    if (bracket === undefined) return false;
    if (isDue) this.#splitAll();
    if (isDue || bracket.hasMember) {
      this.#onBracket(bracket, at);
      bracket.pending = at + 1;
    }
    bracket.member = at + 1;
    return isDue;
  }

  end(): unknown {
    if (this.#result === undefined) return this.#parse(this.#text(0, this.#bytes.length));
    if (!this.#isBlank(this.#result.end, this.#bytes.length)) throw new SyntaxError('expected the end');
    return this.#result.value;
  }

  /** Builds the values of all open brackets from slices from now on. */
  #splitAll(): void {
    for (const [index, bracket] of this.#open.entries()) {
      if (bracket.value !== undefined) continue;
      const parent = this.#open[index - 1];
      if (parent !== undefined) this.#enter(parent, bracket.start);
      else if (!this.#isBlank(0, bracket.start)) throw new SyntaxError('expected one value');
      bracket.value = bracket.isList ? [] : {};
    }
  }

  /** Parses the members before the split one, whose bracket opens at `at`, and the key of that member. */
  #enter(bracket: Bracket, at: number): void {
    if (bracket.hasMember) throw new SyntaxError('expected a comma');
    if (bracket.member > bracket.pending) this.#onBracket(bracket, bracket.member - 1);
    if (!bracket.isList) {
      const [key = ''] = Object.keys(this.#parse(`{${this.#text(bracket.member, at)}[]}`) as object);
      bracket.key = key;
    } else if (!this.#isBlank(bracket.member, at)) throw new SyntaxError('expected a comma');
  }

  /** Parses the members up to `end`, which are all in one slice. */
  #onBracket(bracket: Bracket, end: number): void {
    const { isList, pending, value, hasMember } = bracket;
    const isBlank = this.#isBlank(pending, end);
    if (isBlank !== hasMember) throw new SyntaxError(isBlank ? 'expected a member' : 'expected a comma');
    bracket.hasMember = false;
    if (isBlank || value === undefined) return;
    const text = this.#text(pending, end);
    const members = this.#parse(isList ? `[${text}]` : `{${text}}`) as object;
    for (const [key, member] of Object.entries(members) as [string, unknown][]) put(value, key, member);
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString('utf8', start, end);
  }

  #isBlank(start: number, end: number): boolean {
    for (let i = start; i < end; i++) {
      const byte = this.#bytes[i];
      if (byte !== BLANK && byte !== LINE_FEED && byte !== RETURN && byte !== TAB) return false;
    }
    return true;
  }
}

/** Sets a property as `JSON.parse` does: `__proto__` is an ordinary one. */
function put(into: Container, key: string, value: unknown): void {
  if (Array.isArray(into)) into.push(value);
  else if (key !== '__proto__') into[key] = value;
  else Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Position of the closing quote, or the end of the text. */
export function endOfString(bytes: Buffer, start: number): number {
  let i = start;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}
