import type { ByteSink } from '#query';

const SCRATCH_BYTES = 64 * 1024;
const UTF8_BYTES_PER_UNIT_MAX = 3;

/** One for all replies: a reply is encoded in one go, and never while another is. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/**
 * Collects a reply's bytes. Small replies are copied out of a scratch buffer that stays; a reply that
 * outgrows it is handed over with its own buffer.
 */
export class ReplyBytes implements ByteSink {
  #bytes = scratch;
  #length = 0;

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  writeText(text: string): void {
    this.#reserve(text.length * UTF8_BYTES_PER_UNIT_MAX);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** What was written; nothing may be written after it. */
  take(): Buffer {
    const written = this.#bytes.subarray(0, this.#length);
    return this.#bytes === scratch ? Buffer.from(written) : written;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
