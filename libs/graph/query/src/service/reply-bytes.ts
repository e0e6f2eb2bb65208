import { isAscii } from 'node:buffer';
import type { ByteSink } from '#graph/model';

const SCRATCH_BYTES = 64 * 1024;
const LARGE_BYTES_MIN = 1024 * 1024;
/** Larger buffers are left to the garbage collector, as are buffers beyond the maximum number. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;
const KEPT_MAX = 4;
const UTF8_BYTES_PER_UNIT_MAX = 3;
/** Texts up to this length, mostly commas between items, are written here: faster than a call of `write`. */
const SHORT_TEXT_MAX = 8;
const ASCII_MAX = 0x7f;
/** Provides `Buffer.copy` for arrays that are not Buffers. */
const NO_BYTES = Buffer.alloc(0);
/** Longer texts are copied to the heap before they are sent. */
const SENT_AS_TEXT_MAX = 14 * 1024;

/** Shared by all replies: each one leaves it before the next one is encoded. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
/** Buffers of earlier large replies: allocating fresh memory costs more than filling it. */
const kept: Buffer[] = [];

/**
 * Collects a reply's bytes. Small replies are copied out of a permanent scratch buffer; a larger reply gets
 * a buffer of its own, which can be reused after it has been sent.
 */
export class ReplyBytes implements ByteSink {
  #bytes: Buffer = scratch;
  #length = 0;
  #payload: Buffer | string | undefined;

  get length(): number {
    return this.#length;
  }

  /** Uses `Buffer.copy`: `TypedArray.set` takes three times as long from shared memory. */
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

  /** Must be called before other replies are encoded while this one is incomplete. */
  setAside(): void {
    if (this.#bytes === scratch) this.#grow(this.#length);
  }

  /** Ends the reply. Must be called before other code runs, which may encode the next reply. */
  settle(): void {
    this.#payload ??= this.#taken();
  }

  /** The reply to send: a short reply as text, which is sent in one piece with its head. */
  get payload(): Buffer | string {
    return (this.#payload ??= this.#taken());
  }

  /** The reply to send, as bytes. */
  drain(): Buffer {
    const { payload } = this;
    return typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  }

  /** Whether the reply holds memory that can be reused. */
  get isLarge(): boolean {
    return this.#bytes !== scratch;
  }

  /** Makes the memory available to other replies, once the payload is no longer read. */
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

  /** False if the text is not ASCII only; then nothing is written. */
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
