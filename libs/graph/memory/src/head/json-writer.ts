/**
 * Writes JSON text as UTF-8 bytes. Short ASCII text, the usual case, is copied character by character: this
 * is faster than a call of the runtime, and creates no strings. *Hot path* of ingest.
 *
 * Finished texts are stored consecutively in slabs and never change.
 */
const SLAB_BYTES = 64 * 1024;
const BYTES_PER_UTF16_UNIT_MAX = 3;
/** Longer text is encoded faster by the runtime. */
const SHORT_LENGTH_MAX = 128;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_VISIBLE = 0x20;
const FIRST_NOT_ASCII = 0x80;

export class JsonWriter {
  #slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #start = 0;
  #end = 0;

  /** Begins a text, and discards an unfinished one. */
  begin(): this {
    this.#end = this.#start;
    return this;
  }

  /** The text since {@link begin}: a read-only view. */
  take(): Uint8Array {
    const text = this.#slab.subarray(this.#start, this.#end);
    this.#start = this.#end;
    return text;
  }

  /** Writes raw ASCII. */
  raw(text: string): this {
    this.#reserve(text.length);
    for (let at = 0; at < text.length; at++) this.#slab[this.#end + at] = text.charCodeAt(at);
    this.#end += text.length;
    return this;
  }

  /** Writes raw UTF-8. */
  bytes(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    for (let at = 0; at < bytes.length; at++) this.#slab[this.#end + at] = bytes[at]!;
    this.#end += bytes.length;
    return this;
  }

  /** `JSON.stringify` writes lone surrogates as escapes, so that the bytes are always well-formed UTF-8. */
  string(text: string): this {
    if (text.length > SHORT_LENGTH_MAX) return this.#long(JSON.stringify(text));
    this.#reserve(text.length + 2);
    const slab = this.#slab;
    let end = this.#end;
    slab[end++] = QUOTE;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const isPlain = code >= FIRST_VISIBLE && code < FIRST_NOT_ASCII && code !== QUOTE && code !== BACKSLASH;
      if (!isPlain) return this.#long(JSON.stringify(text));
      slab[end++] = code;
    }
    slab[end++] = QUOTE;
    this.#end = end;
    return this;
  }

  /** Writes any JSON value. */
  value(value: unknown): this {
    if (typeof value === 'string') return this.string(value);
    if (Number.isFinite(value)) return this.raw(String(value));
    return this.#long(JSON.stringify(value));
  }

  /** Writes any raw text. */
  text(text: string): this {
    return this.#long(text);
  }

  #long(json: string): this {
    this.#reserve(json.length * BYTES_PER_UTF16_UNIT_MAX);
    this.#end += this.#slab.write(json, this.#end, 'utf8');
    return this;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#slab.length) return;
    const text = this.#slab.subarray(this.#start, this.#end);
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, (text.length + bytes) * 2));
    this.#slab.set(text);
    this.#start = 0;
    this.#end = text.length;
  }
}
