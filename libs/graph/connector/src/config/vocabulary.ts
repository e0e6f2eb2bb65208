/**
 * What a source says, for its readers: docs/connector-vocabulary.md is made from it, and every test run of
 * a connector is compared with it.
 */
export interface Vocabulary {
  /**
   * Types, with the names of their properties, parted by spaces. In a type, `*` stands for any text; as a
   * name, for others that the source has.
   */
  readonly entities: Readonly<Record<string, string>>;
  /** `user MEMBER_OF group`, with the names of the properties. */
  readonly relationships: Readonly<Record<string, string>>;
}

/** Records in the words of the graph. */
export interface SpokenRecords {
  readonly entities: readonly { readonly type: string; readonly properties: object }[];
  readonly relationships: readonly {
    readonly from: { readonly type: string };
    readonly verb: string;
    readonly to: { readonly type: string };
    readonly properties: object;
  }[];
}

/** Types, sentences and properties of the records that the vocabulary lacks. */
export function missingWords(
  vocabulary: Vocabulary,
  { entities, relationships }: SpokenRecords,
): readonly string[] {
  const types = new PhraseBook(vocabulary.entities);
  const sentences = new PhraseBook(vocabulary.relationships);
  for (const { type, properties } of entities) types.hear(type, properties);
  for (const { from, verb, to, properties } of relationships)
    sentences.hear(`${from.type} ${verb} ${to.type}`, properties);
  return [...types.missing, ...sentences.missing];
}

class PhraseBook {
  readonly missing = new Set<string>();
  readonly #phrases: readonly { readonly pattern: RegExp; readonly names: ReadonlySet<string> }[];
  readonly #namesByPhrase = new Map<string, ReadonlySet<string>>();

  constructor(phrases: Readonly<Record<string, string>>) {
    this.#phrases = Object.entries(phrases).map(([phrase, names]) => ({
      // Types and verbs are words.
      pattern: new RegExp(`^${phrase.replaceAll('*', '.*')}$`),
      names: new Set(names.split(' ')),
    }));
  }

  hear(phrase: string, properties: object): void {
    const known = this.#namesByPhrase.get(phrase) ?? this.#namesOf(phrase);
    this.#namesByPhrase.set(phrase, known);
    if (known.size === 0) this.missing.add(phrase);
    else if (!known.has('*'))
      for (const name of Object.keys(properties))
        if (!known.has(name)) this.missing.add(`${phrase}: ${name}`);
  }

  /** Of all phrases that fit; none if no phrase fits. */
  #namesOf(phrase: string): ReadonlySet<string> {
    return new Set(this.#phrases.flatMap(({ pattern, names }) => (pattern.test(phrase) ? [...names] : [])));
  }
}
