/**
 * An upstream's head on its way to the parser, without the lines that the parser would misread. Each line is
 * passed on as it arrives, so that the parser finds a fault at once; only what may be the beginning of a
 * dropped line is held.
 *
 *     of an interim response   headers of this hop
 *     of a final response      a repetition of Content-Length with the same value
 */
const CONTENT_LENGTH = 'content-length';
const OF_THIS_HOP: readonly string[] = [
  'connection',
  CONTENT_LENGTH,
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const HELD_MAX = 256;
const DIGITS = /^\d+$/;

export class HeadLines {
  #names = OF_THIS_HOP;
  #passed = '';
  #held = '';
  #isWithinLine = true;
  #length: string | undefined;

  /** Expects a head, from its first line. */
  begin(isInterim: boolean): void {
    this.#names = isInterim ? OF_THIS_HOP : [CONTENT_LENGTH];
    this.#passed = '';
    this.#held = '';
    this.#isWithinLine = true;
    this.#length = undefined;
  }

  /** Returns the position after the head, or -1 while it is incomplete. */
  take(text: string): number {
    for (let at = 0; at < text.length;) {
      const lineFeed = text.indexOf('\n', at);
      const to = lineFeed === -1 ? text.length : lineFeed + 1;
      if (this.#takePart(text.slice(at, to), lineFeed !== -1)) return to;
      at = to;
    }
    return -1;
  }

  /** Returns what was passed on since the last call. */
  flush(): string {
    const passed = this.#passed;
    this.#passed = '';
    return passed;
  }

  /** Returns whether it is the end of the head. */
  #takePart(part: string, isEnd: boolean): boolean {
    if (this.#isWithinLine) {
      this.#passed += part;
      this.#isWithinLine = !isEnd;
      return false;
    }
    const line = this.#held + part;
    const isKept = isEnd ? !this.#isDropped(line) : !this.#mayBeDropped(line);
    this.#held = isEnd || isKept ? '' : line;
    if (isKept) this.#passed += line;
    this.#isWithinLine = !isEnd && isKept;
    return line === '\r\n' || line === '\n';
  }

  #mayBeDropped(start: string): boolean {
    const name = nameOf(start);
    if (name.length < start.length) return this.#names.includes(name) && start.length < HELD_MAX;
    return start === '\r' || this.#names.some((one) => one.startsWith(name));
  }

  #isDropped(line: string): boolean {
    const name = nameOf(line);
    if (!this.#names.includes(name)) return false;
    if (this.#names.length > 1) return true;
    const value = line.slice(name.length + 1).trim();
    if (this.#length !== undefined) return value === this.#length && DIGITS.test(value);
    this.#length = value;
    return false;
  }
}

/** The name of a header line in lower case; the whole start of a line without a colon. */
function nameOf(line: string): string {
  const colon = line.indexOf(':');
  return (colon === -1 ? line : line.slice(0, colon)).toLowerCase();
}
