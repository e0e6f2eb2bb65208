import { dataOf } from '../../kit/session/api-error.ts';
import type { Vocabulary } from '../pql/complete-pql.ts';
import { FieldValues } from './field-values.ts';
import { getSchema } from './generated/sdk.gen.ts';

const FRESH_MS = 60_000;
const NOTHING: Vocabulary = { classes: [], types: [], verbs: [] };

/** The classes, types and verbs of the data, read at most once a minute; with the values of fields. */
export class VocabularyCache {
  #words = $state.raw(NOTHING);
  #read: Promise<Vocabulary> | undefined;
  #readAt = 0;
  readonly values = new FieldValues();

  /** The last result. */
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
      // Completion works without the vocabulary; a failure is not reported.
      this.#read = undefined;
    }
    return this.#words;
  }
}

/** The instance of this page. */
export const vocabulary = new VocabularyCache();
