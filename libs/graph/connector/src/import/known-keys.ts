import type { SourceRow } from '../connectors/table/source-row.ts';

/** The types of which the graph has an entity with a key, by key. */
export type TypesByKey = ReadonlyMap<string, readonly string[]>;

/** Values of a column that are looked up. */
const VALUES_MAX = 20;
/** One value alone may be a coincidence. */
const VALUES_MIN = 2;
const CHARACTERS_MAX = 1_024;
const SEPARATORS = /[;|,]/;
const NUMBER = /^[-+]?\d+(?:[.,]\d+)?$/;

/** Which values of a table are keys of entities: what a name does not say of a column, its values may. */
export class KnownKeys {
  readonly #types: TypesByKey;

  constructor(types: TypesByKey) {
    this.#types = types;
  }

  /** Looks up the first values of each column. */
  static async of(
    rows: readonly SourceRow[],
    columns: readonly string[],
    typesOfKeys: (keys: readonly string[]) => Promise<TypesByKey>,
  ): Promise<KnownKeys> {
    const asked = columns.flatMap((column) => {
      const texts = textsOf(rows.map((row) => row.value(column)));
      return [...firstOf(texts, undefined), ...firstOf(texts, SEPARATORS)];
    });
    return new KnownKeys(await typesOfKeys([...new Set(asked)]));
  }

  /** The one type of which all these values are keys; undefined if there is none, or several. */
  typeOfAll(values: readonly unknown[], separator: string | undefined): string | undefined {
    const keys = firstOf(textsOf(values), separator);
    if (keys.length < VALUES_MIN) return undefined;
    const full = [...this.#countsOf(keys)].filter(([, count]) => count === keys.length);
    return full.length === 1 ? full[0]?.[0] : undefined;
  }

  /** The type of which most of these values are keys; undefined if none is known, or two are alike. */
  typeOfMost(values: readonly unknown[], separator: string | undefined): string | undefined {
    const counts = [...this.#countsOf(firstOf(textsOf(values), separator))].sort(([, a], [, b]) => b - a);
    const [first, second] = counts;
    return first !== undefined && first[1] > (second?.[1] ?? 0) ? first[0] : undefined;
  }

  #countsOf(keys: readonly string[]): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const type of keys.flatMap((key) => this.#types.get(key) ?? []))
      counts.set(type, (counts.get(type) ?? 0) + 1);
    return counts;
  }
}

function textsOf(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string');
}

/** The first different keys in cells. Numbers are left out: many things are numbered alike. */
function firstOf(texts: readonly string[], separator: string | RegExp | undefined): readonly string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const part of separator === undefined ? [text] : text.split(separator)) {
      const key = part.trim();
      if (key !== '' && key.length <= CHARACTERS_MAX && !NUMBER.test(key)) found.add(key);
      if (found.size >= VALUES_MAX) return [...found];
    }
  }
  return [...found];
}
