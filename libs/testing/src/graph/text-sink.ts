import type { ByteSink } from '#query';

/** Keeps what is written, as text. */
export class TextSink implements ByteSink {
  readonly #chunks: Buffer[] = [];

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#chunks.push(Buffer.from(bytes.subarray(start, end)));
  }

  writeText(text: string): void {
    this.#chunks.push(Buffer.from(text, 'utf8'));
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
