/** Ids of the items that came since the base. *Hot path* of ingest. */
import { Uint32List } from '../array/number-list.ts';
import { IdIndex } from '../name/id-index.ts';

const WORDS = 4;

export class ItemIds {
  readonly words = new Uint32List();
  readonly #index = new IdIndex();
  readonly #bitsOf = (at: number): number => this.words.data[at * WORDS]!;

  /** Position of the id, −1 when there is none. */
  find(id: Uint32Array): number {
    const words = this.words.data;
    return this.#index.find(id[0]!, (at) => {
      const start = at * WORDS;
      return (
        words[start] === id[0] &&
        words[start + 1] === id[1] &&
        words[start + 2] === id[2] &&
        words[start + 3] === id[3]
      );
    });
  }

  add(id: Uint32Array): void {
    const at = this.words.length / WORDS;
    for (let word = 0; word < WORDS; word++) this.words.push(id[word]!);
    this.#index.add(id[0]!, at, this.#bitsOf);
  }

  /** The id of an item, into words that may be reused. */
  read(at: number, into: Uint32Array): void {
    for (let word = 0; word < WORDS; word++) into[word] = this.words.data[at * WORDS + word]!;
  }

  /** The id of an item, as hex digits. */
  text(at: number): string {
    let text = '';
    for (let word = 0; word < WORDS; word++)
      text += this.words.data[at * WORDS + word]!.toString(16).padStart(8, '0');
    return text;
  }
}
