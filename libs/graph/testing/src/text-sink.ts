import type { ByteSink } from '#graph/model';

/** Collects written data as text. */
export class TextSink implements ByteSink {
  readonly #chunks: Buffer[] = [];
  #byteLength = 0;

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.#push(Buffer.from(bytes.subarray(start, end)));
  }

  writeText(text: string): void {
    this.#push(Buffer.from(text, 'utf8'));
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  #push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#byteLength += chunk.length;
  }
}
