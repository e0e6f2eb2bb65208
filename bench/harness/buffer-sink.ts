const START_BYTES = 1 << 20;

/** Collects a reply's bytes in one buffer, which is reused for the next reply. */
export class BufferSink {
  #buffer = Buffer.allocUnsafe(START_BYTES);
  #end = 0;

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    this.#buffer.set(bytes.subarray(start, end), this.#end);
    this.#end += end - start;
  }

  writeText(text: string): void {
    this.#reserve(text.length * 3);
    this.#end += this.#buffer.write(text, this.#end);
  }

  /** The bytes written since the last call; valid until the next write. */
  take(): Uint8Array {
    const taken = this.#buffer.subarray(0, this.#end);
    this.#end = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#end + bytes));
    larger.set(this.#buffer.subarray(0, this.#end));
    this.#buffer = larger;
  }
}
