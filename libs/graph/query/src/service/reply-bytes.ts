import type { ByteSink } from '#graph/model';

const SCRATCH_BYTES = 64 * 1024;
const LARGE_BYTES_MIN = 1024 * 1024;
/** Larger buffers are left to the garbage collector, and so are more of them than these. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;
const KEPT_MAX = 4;
const UTF8_BYTES_PER_UNIT_MAX = 3;

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
  #drained: Buffer | undefined;

  get length(): number {
    return this.#length;
  }

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  writeText(text: string): void {
    this.#reserve(text.length * UTF8_BYTES_PER_UNIT_MAX);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** Has to be called before other replies are encoded, where this one is not whole yet. */
  setAside(): void {
    if (this.#bytes === scratch) this.#grow(this.#length);
  }

  /**
   * What was written; nothing may be written after it. The same when called again: the first time has to be
   * before anybody else runs.
   */
  drain(): Buffer {
    if (this.#drained !== undefined) return this.#drained;
    const written = this.#bytes.subarray(0, this.#length);
    this.#drained = this.#bytes === scratch ? Buffer.from(written) : written;
    return this.#drained;
  }

  /** Once nobody reads what was taken any more: lets another reply use the memory. */
  giveBack(): void {
    if (this.#bytes !== scratch) keep(this.#bytes);
    this.#bytes = scratch;
    this.#length = 0;
    this.#drained = undefined;
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
