/** The end of a head, or of chunks: an empty line. Hot path: one search per chunk. */

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const BLANK_LINE = '\r\n\r\n';

export class BlankLine {
  /** Length of the match at the end of the last chunk. */
  #matched = 0;

  reset(): void {
    this.#matched = 0;
  }

  /** Position after the first blank line in `chunk` at or after `from`; -1 when there is none yet. */
  endIn(chunk: Buffer, from: number): number {
    let index = from;
    while (this.#matched > 0 && index < chunk.length) {
      this.#step(chunk[index]!);
      index += 1;
      if (this.#matched === BLANK_LINE.length) return this.#found(index);
    }
    if (index === chunk.length) return -1;
    const start = chunk.indexOf(BLANK_LINE, index, 'latin1');
    if (start !== -1) return this.#found(start + BLANK_LINE.length);
    for (index = Math.max(index, chunk.length - BLANK_LINE.length + 1); index < chunk.length; index++) {
      this.#step(chunk[index]!);
    }
    return -1;
  }

  #found(end: number): number {
    this.#matched = 0;
    return end;
  }

  #step(byte: number): void {
    const isOdd = this.#matched % 2 === 1;
    if (byte === CARRIAGE_RETURN) this.#matched = this.#matched === 2 ? 3 : 1;
    else this.#matched = byte === LINE_FEED && isOdd ? this.#matched + 1 : 0;
  }
}
