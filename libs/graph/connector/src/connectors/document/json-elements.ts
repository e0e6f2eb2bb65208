/**
 * Splits a JSON document of any size into the elements of some of its lists: one of them is in memory at a
 * time. Each element, and each other field, is the text of a whole value, to be parsed by the caller.
 * *Hot path*: every byte of a collection passes here.
 */
import { DomainError, utf8Text } from '#platform/foundation';

export interface JsonPart {
  /** The path of the list, or of the field: `graph.nodes`. */
  readonly path: string;
  /** The position in the list; undefined for a field. */
  readonly index: number | undefined;
  readonly text: string;
}

interface OpenContainer {
  readonly path: string;
  readonly isList: boolean;
  /** Of an object. */
  readonly names: Set<string>;
  count: number;
}

type State = 'value' | 'first' | 'key' | 'colon' | 'after' | 'end';

const PART_BYTES_MAX = 67_108_864;
const KEY_BYTES_MAX = 1_024;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** How a text in UTF-16 begins, as Windows writes it. */
const UTF_16: ReadonlySet<number | undefined> = new Set([0xfe, 0xff]);
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Feed it with all chunks, then call `finish`. The list `''` is the document itself. Throws INVALID_REQUEST
 * for what is no such document.
 */
export class JsonElements {
  /** The lists that the document has. */
  readonly lists = new Set<string>();
  readonly #lists: readonly string[];
  readonly #open: OpenContainer[] = [];
  #state: State = 'value';
  #key = '';
  #position = 0;
  /** The value that is being read, with the nesting in it. */
  #part: { readonly path: string; readonly index: number | undefined } | undefined;
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  constructor(lists: readonly string[]) {
    this.#lists = lists;
  }

  *feed(chunk: Uint8Array): Generator<JsonPart> {
    let start = 0;
    if (this.#position === 0 && UTF_16.has(chunk[0])) throw this.#fault('text in UTF-16, not in UTF-8,');
    for (let at = 0; at < chunk.length; at++, this.#position++) {
      const byte = chunk[at]!;
      if (this.#part === undefined) {
        if (this.#structure(byte)) start = at;
        else continue;
      }
      if (this.#isLast(byte)) {
        this.#hold(chunk.subarray(start, at + 1));
        const part = this.#finishPart();
        if (part !== undefined) yield part;
      } else if (this.#endsScalar(byte)) {
        this.#hold(chunk.subarray(start, at));
        const part = this.#finishPart();
        if (part !== undefined) yield part;
        this.#structure(byte);
      }
    }
    if (this.#part !== undefined) this.#hold(chunk.subarray(start));
  }

  /** Throws if the document is cut. */
  finish(): void {
    if (this.#state === 'end') return;
    throw new DomainError(
      'INVALID_REQUEST',
      `expected a JSON document, got one that ends at byte ${this.#position}`,
    );
  }

  /** Handles a byte between values; returns whether a value begins with it. */
  #structure(byte: number): boolean {
    if (isSpace(byte) || (this.#position < BOM.length && byte === BOM[this.#position])) return false;
    const top = this.#open.at(-1);
    switch (this.#state) {
      case 'colon':
        return this.#expect(byte === COLON, 'value');
      case 'after':
        if (byte === COMMA) return this.#expect(true, top?.isList === true ? 'value' : 'key');
        return this.#close(byte);
      case 'first':
        if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) return this.#close(byte);
        return this.#begin(byte, top);
      case 'key':
      case 'value':
        return this.#begin(byte, top);
      case 'end':
        throw this.#fault();
    }
  }

  #expect(isRight: boolean, next: State): false {
    if (!isRight) throw this.#fault();
    this.#state = next;
    return false;
  }

  #close(byte: number): false {
    const top = this.#open.pop();
    if (byte !== (top?.isList === true ? CLOSE_LIST : CLOSE_OBJECT)) throw this.#fault();
    this.#state = this.#open.length === 0 ? 'end' : 'after';
    return false;
  }

  /** Returns whether a key or a value that is read whole begins. */
  #begin(byte: number, top: OpenContainer | undefined): boolean {
    if (top === undefined) {
      if (byte === OPEN_LIST && this.#lists.includes('')) return this.#enter('', true);
      if (byte !== OPEN_OBJECT) throw this.#fault();
      return this.#enter('', false);
    }
    if (top.isList) return this.#beginPart(top.path, top.count++, 'after');
    if (this.#state === 'value') return this.#beginField(byte, top);
    if (byte !== QUOTE) throw this.#fault();
    return this.#beginPart('', undefined, 'colon');
  }

  /** Containers that lead to a list are entered, other values are read whole. */
  #beginField(byte: number, top: OpenContainer): boolean {
    const path = top.path === '' ? this.#key : `${top.path}.${this.#key}`;
    if (byte === OPEN_LIST && this.#lists.includes(path)) return this.#enter(path, true);
    const leadsOn = this.#lists.some((list) => list.startsWith(`${path}.`));
    if (byte === OPEN_OBJECT && leadsOn) return this.#enter(path, false);
    return this.#beginPart(path, undefined, 'after');
  }

  #beginPart(path: string, index: number | undefined, next: State): true {
    this.#part = { path, index };
    this.#state = next;
    return true;
  }

  #enter(path: string, isList: boolean): false {
    this.#open.push({ path, isList, names: new Set(), count: 0 });
    if (isList) this.lists.add(path);
    this.#state = 'first';
    return false;
  }

  /** Whether the value ends with this byte. */
  #isLast(byte: number): boolean {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#isText = false;
        return this.#depth === 0;
      }
      return false;
    }
    if (byte === QUOTE) this.#isText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && this.#depth > 0) return --this.#depth === 0;
    return false;
  }

  /** Whether a number or a word ends before this byte. */
  #endsScalar(byte: number): boolean {
    if (this.#isText || this.#depth > 0) return false;
    return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte <= 0x20;
  }

  #hold(piece: Uint8Array): void {
    this.#pieceBytes += piece.length;
    const max = this.#state === 'colon' ? KEY_BYTES_MAX : PART_BYTES_MAX;
    if (this.#pieceBytes > max) throw this.#fault(`a value of more than ${max} bytes`);
    // The chunk may be reused by its reader.
    this.#pieces.push(piece.slice());
  }

  /** Undefined for a key. */
  #finishPart(): JsonPart | undefined {
    const text = utf8Text(Buffer.concat(this.#pieces));
    if (text === undefined) throw this.#fault('text in another encoding than UTF-8');
    const part = this.#part;
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#part = undefined;
    if (this.#state === 'colon') this.#name(this.#parsedName(text));
    return part === undefined || this.#state === 'colon' ? undefined : { ...part, text };
  }

  /** A name may have letters as escapes. */
  #parsedName(text: string): string {
    try {
      return JSON.parse(text) as string;
    } catch {
      throw this.#fault(`the name ${text.slice(0, 100)}`);
    }
  }

  /** A list that comes twice would be read twice, another value once. */
  #name(name: string): void {
    const names = this.#open.at(-1)?.names;
    if (names?.has(name) === true) throw this.#fault(`the name ${JSON.stringify(name.slice(0, 100))} twice`);
    names?.add(name);
    this.#key = name;
  }

  #fault(what = 'other text'): DomainError {
    return new DomainError(
      'INVALID_REQUEST',
      `expected a JSON document, got ${what} at byte ${this.#position}`,
    );
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
