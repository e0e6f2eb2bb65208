import { isAscii } from 'node:buffer';
import type { ByteSink } from '#graph/model';

const SCRATCH_BYTES = 64 * 1024;
const LARGE_BYTES_MIN = 1024 * 1024;
/** Larger buffers are left to the garbage collector, and so are more of them than these. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;
const KEPT_MAX = 4;
const UTF8_BYTES_PER_UNIT_MAX = 3;
/** Written here, which takes less than a call of what writes any text: mostly commas between items. */
const SHORT_TEXT_MAX = 8;
const ASCII_MAX = 0x7f;
/** Has Node's way of copying, also from what is no Buffer. */
const NO_BYTES = Buffer.alloc(0);
/** Longer ones are copied to the heap before they are sent. */
const SENT_AS_TEXT_MAX = 14 * 1024;

/** One for all replies, each of which leaves it before another is encoded. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
/** What large replies were written to, for the next ones: fresh memory costs more than filling it does. */
const kept: Buffer[] = [];

/**
 * Collects a reply's bytes. Small replies are copied out of a scratch buffer that stays; a reply that
 * outgrows it is handed over with its own buffer, which may be given back.
 */
export class ReplyBytes implements ByteSink {
  #bytes: Buffer = scratch;
  #length = 0;
  #payload: Buffer | string | undefined;

  get length(): number {
    return this.#length;
  }

  /** By Node's copy: what is shared with threads, `set` copies word by word, in three times the time. */
  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    NO_BYTES.copy.call(bytes, this.#bytes, this.#length, start, end);
    this.#length += end - start;
  }

  writeText(text: string): void {
    this.#reserve(text.length * UTF8_BYTES_PER_UNIT_MAX);
    if (text.length <= SHORT_TEXT_MAX && this.#writeAscii(text)) return;
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** Has to be called before other replies are encoded, where this one is not whole yet. */
  setAside(): void {
    if (this.#bytes === scratch) this.#grow(this.#length);
  }

  /** Nothing is written any more. Has to be called before anybody else runs, whose reply comes after it. */
  settle(): void {
    this.#payload ??= this.#taken();
  }

  /** What was written, for who sends it: a short reply as text, which goes out in one piece with its head. */
  get payload(): Buffer | string {
    return (this.#payload ??= this.#taken());
  }

  /** The same as bytes. */
  drain(): Buffer {
    const { payload } = this;
    return typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  }

  /** Whether there is memory to give back. */
  get isLarge(): boolean {
    return this.#bytes !== scratch;
  }

  /** Once nobody reads what was taken any more: lets another reply use the memory. */
  giveBack(): void {
    if (this.#bytes !== scratch) keep(this.#bytes);
    this.#bytes = scratch;
    this.#length = 0;
    this.#payload = undefined;
  }

  #taken(): Buffer | string {
    const written = this.#bytes.subarray(0, this.#length);
    if (this.isLarge) return written;
    return written.length <= SENT_AS_TEXT_MAX && isAscii(written)
      ? written.toString('latin1')
      : Buffer.from(written);
  }

  /** False when the text is not all ASCII: then nothing is written. */
  #writeAscii(text: string): boolean {
    const bytes = this.#bytes;
    const at = this.#length;
    for (let unit = 0; unit < text.length; unit++) {
      const code = text.charCodeAt(unit);
      if (code > ASCII_MAX) return false;
      bytes[at + unit] = code;
    }
    this.#length += text.length;
    return true;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    this.#grow(Math.max(needed, this.#bytes.length * 2));
  }

  #grow(bytes: number): void {
    const grown = largeBuffer(bytes);
    this.#bytes.copy(grown, 0, 0, this.#length);
    if (this.#bytes !== scratch) keep(this.#bytes);
    this.#bytes = grown;
  }
}

function largeBuffer(bytes: number): Buffer {
  const at = kept.findIndex(({ length }) => length >= bytes);
  const [found] = at < 0 ? [] : kept.splice(at, 1);
  return found ?? Buffer.allocUnsafeSlow(Math.max(bytes, LARGE_BYTES_MIN));
}

function keep(bytes: Buffer): void {
  if (bytes.length <= KEPT_BYTES_MAX && kept.length < KEPT_MAX) kept.push(bytes);
}
