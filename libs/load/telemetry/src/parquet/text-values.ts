import { assert } from '#platform/foundation';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { Column } from '../table/table-batch.ts';
import type { ValueDictionary } from './value-dictionary.ts';

const LENGTH_BYTES = 4;

/** Texts by their content. */
export class TextValues implements ValueDictionary {
  readonly #codeOf = new Map<string, number>();
  #texts: Uint8Array[] = [];
  byteLength = 0;

  get size(): number {
    return this.#texts.length;
  }

  codesOf(column: Column): Int32Array {
    assert(column.form === 'text', 'expected texts');
    return Int32Array.from(column.texts, (text) => this.#codeOf.get(text) ?? this.#add(text));
  }

  writePlain(out: ByteWriter, code: number): void {
    const text = this.#texts[code];
    assert(text !== undefined, 'expected a code of the dictionary');
    out.u32(text.length);
    out.bytes(text);
  }

  clear(): void {
    this.#codeOf.clear();
    this.#texts = [];
    this.byteLength = 0;
  }

  #add(text: string): number {
    const bytes = Buffer.from(text);
    const code = this.#texts.push(bytes) - 1;
    this.#codeOf.set(text, code);
    this.byteLength += LENGTH_BYTES + bytes.length;
    return code;
  }
}
