import { dataOf } from '../../kit/session/api-error.ts';
import type { Vocabulary } from '../pql/complete-pql.ts';
import { FieldValues } from './field-values.ts';
import { getSchema } from './generated/sdk.gen.ts';

const FRESH_MS = 60_000;
const NOTHING: Vocabulary = { classes: [], types: [], verbs: [] };

/** The words of the data, read once a minute at most; with the values of fields. */
export class VocabularyCache {
  #words = $state.raw(NOTHING);
  #read: Promise<Vocabulary> | undefined;
  #readAt = 0;
  readonly values = new FieldValues();

  /** As it was read last. */
  get words(): Vocabulary {
    return this.#words;
  }

  load(): Promise<Vocabulary> {
    if (this.#read === undefined || Date.now() - this.#readAt > FRESH_MS) {
      this.#readAt = Date.now();
      this.values.forget();
      this.#read = this.#readWords();
    }
    return this.#read;
  }

  async #readWords(): Promise<Vocabulary> {
    try {
      this.#words = await dataOf(getSchema());
    } catch {
      // Completion without words is better than an editor that complains.
      this.#read = undefined;
    }
    return this.#words;
  }
}

/** Of this page. */
export const vocabulary = new VocabularyCache();
