/**
 * The first line of a request: `method SP target SP HTTP/n.n CRLF`. The parser also accepts other protocols
 * and more than one space, without reporting it: such a line could be parsed in two ways. Hot path.
 */
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
/** ` HTTP/1.1` and the carriage return. */
const VERSION_BYTES = 10;
const HELD_BYTES_MAX = 1_048_576;
const UPPER_H = 0x48;
const SLASH = 0x2f;
const ONE = 0x31;
const TWO = 0x32;
const NINE = 0x39;
const VERSION = ' HTTP/1.';
const IS_TOKEN_CHARACTER = new Uint8Array(256);
for (const character of "!#$%&'*+.^_`|~-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  IS_TOKEN_CHARACTER[character.charCodeAt(0)] = 1;
}

export class RequestLine {
  #begun: Buffer | undefined;
  #bytes = 0;
  #isWhole = false;
  #isMethodToken = false;

  /** Prepares for the next request. */
  reset(): void {
    this.#begun = undefined;
    this.#bytes = 0;
    this.#isWhole = false;
  }

  /** The bytes received so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the text in the place of the method could be one. */
  get hasMethod(): boolean {
    return this.#isWhole ? this.#isMethodToken : isMethod(this.#begun, 0);
  }

  /** Returns false for an invalid line; true also while it is incomplete. */
  take(piece: Buffer): boolean {
    if (this.#isWhole) return true;
    const bytes = this.#begun === undefined ? piece : Buffer.concat([this.#begun, piece]);
    const start = this.#begun === undefined ? firstOf(bytes) : 0;
    const end = bytes.indexOf(LINE_FEED, start);
    this.#bytes = (end === -1 ? bytes.length : end) - start;
    readAsVersion11(bytes, end === -1 ? bytes.length : end, piece);
    if (end === -1) {
      if (start < bytes.length) this.#begun = Buffer.from(bytes.subarray(start, start + HELD_BYTES_MAX));
      return true;
    }
    this.#isWhole = true;
    this.#begun = undefined;
    return this.#check(bytes, start, end);
  }

  #check(bytes: Buffer, start: number, end: number): boolean {
    const afterMethod = bytes.indexOf(SPACE, start);
    this.#isMethodToken = isMethod(bytes, start);
    const version = end - VERSION_BYTES;
    return (
      this.#isMethodToken &&
      // The parser reports a bare line feed more precisely.
      (bytes[end - 1] !== CARRIAGE_RETURN ||
        (version > afterMethod + 1 &&
          bytes.indexOf(SPACE, afterMethod + 1) === version &&
          bytes[version + 1] === UPPER_H &&
          bytes[version + 5] === SLASH))
    );
  }
}

/**
 * A later minor version is read as 1.1 (RFC 9110, 2.5), which the parser does not: it is changed in the piece
 * that the parser gets. `bytes` ends with `piece`, the line ends before `to`.
 */
function readAsVersion11(bytes: Buffer, to: number, piece: Buffer): void {
  const at = bytes[to - 1] === CARRIAGE_RETURN ? to - 2 : to - 1;
  const minor = bytes[at] ?? 0;
  if (minor < TWO || minor > NINE || bytes.toString('latin1', at - VERSION.length, at) !== VERSION) return;
  bytes[at] = ONE;
  const inPiece = at - (bytes.length - piece.length);
  if (inPiece >= 0) piece[inPiece] = ONE;
}

/** Up to the first space, or to the end of the received part. */
function isMethod(bytes: Buffer | undefined, start: number): boolean {
  if (bytes === undefined) return false;
  let index = start;
  while (index < bytes.length && IS_TOKEN_CHARACTER[bytes[index]!] === 1) index += 1;
  return index > start && (index === bytes.length || bytes[index] === SPACE);
}

/** Empty lines before a request are skipped (RFC 9112, 2.2). */
function firstOf(bytes: Buffer): number {
  let index = 0;
  while (bytes[index] === CARRIAGE_RETURN || bytes[index] === LINE_FEED) index += 1;
  return index;
}
