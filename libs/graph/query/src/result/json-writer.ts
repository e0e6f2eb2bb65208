import type { ByteSink } from '#graph/model';

const PENDING_MAX = 8_192;

/** Writes JSON text to a sink in larger pieces; raw bytes in between keep their position. */
export class JsonWriter {
  readonly sink: ByteSink;
  readonly #target: ByteSink;
  #pending = '';

  constructor(target: ByteSink) {
    this.#target = target;
    this.sink = {
      writeBytes: (bytes, start, end) => {
        this.end();
        target.writeBytes(bytes, start, end);
      },
      writeText: (text) => {
        this.raw(text);
      },
    };
  }

  raw(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= PENDING_MAX) this.end();
  }

  value(value: unknown): void {
    this.raw(JSON.stringify(value));
  }

  /** Writes `,"name":value`. */
  member(name: string, value: unknown): void {
    this.raw(`,"${name}":${JSON.stringify(value)}`);
  }

  list<Item>(items: Iterable<Item>, write: (item: Item) => void): void {
    let separator = '[';
    for (const item of items) {
      this.raw(separator);
      write(item);
      separator = ',';
    }
    this.raw(separator === '[' ? '[]' : ']');
  }

  /** Flushes the pending text. */
  end(): void {
    if (this.#pending !== '') this.#target.writeText(this.#pending);
    this.#pending = '';
  }
}
