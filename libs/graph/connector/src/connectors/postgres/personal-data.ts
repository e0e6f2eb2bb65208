import { globMatcher } from './glob-matcher.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { nameOf, type PostgresRow } from './postgres-session.ts';

const PII_MARK = /(^|\W)@pii\b/i;

/** What one database says about its tables. */
export interface TableFacts {
  readonly tables: readonly PostgresRow[];
  /** Comments and labels of schemas, tables and columns. */
  readonly notes: readonly PostgresRow[];
  /** The names of tables that a view reads, by the name of the view. */
  readonly read: ReadonlyMap<string, ReadonlySet<string>>;
  /** The names of partitions and inheriting tables, by the name of the parent. */
  readonly children: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The names of tables with personal data, with the marked columns of each. */
export type PersonalTables = ReadonlyMap<string, readonly string[]>;

/**
 * Tables marked by the configuration, or by `@pii` in a comment or label of the schema, the table or a
 * column. The partitions and inheriting tables of a marked one are marked; and so is everything that reads
 * one: views, and the tables of which it is a part.
 */
export function personalTables(config: PostgresConfig, facts: TableFacts): PersonalTables {
  const found = new Map<string, readonly string[]>(markedTables(config, facts));
  spread(found, facts.children);
  spread(found, readersOf(facts.read, facts.children));
  return found;
}

/** Adds everything that follows from what was found. Iterating a Map includes the entries added meanwhile. */
function spread(
  found: Map<string, readonly string[]>,
  following: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const name of found.keys()) {
    for (const next of following.get(name) ?? []) if (!found.has(next)) found.set(next, []);
  }
}

function markedTables(config: PostgresConfig, { tables, notes }: TableFacts): PersonalTables {
  const isWanted = globMatcher(config.pii);
  const marked = notes.filter(({ text }) => PII_MARK.test(String(text)));
  const schemas = new Set(marked.filter(({ name }) => name === null).map(({ schema }) => schema));
  const ofTables = Map.groupBy(
    marked.filter(({ name }) => name !== null),
    nameOf,
  );
  const found = new Map<string, readonly string[]>();
  for (const row of tables) {
    const { schema, name } = row;
    const columns = (ofTables.get(nameOf(row)) ?? []).map(({ column }) => column);
    if (isWanted(`${String(schema)}.${String(name)}`) || schemas.has(schema) || columns.length > 0) {
      found.set(nameOf(row), [...new Set(columns.filter((column) => typeof column === 'string'))].sort());
    }
  }
  return found;
}

function readersOf(
  ...readings: readonly ReadonlyMap<string, ReadonlySet<string>>[]
): ReadonlyMap<string, ReadonlySet<string>> {
  const readers = new Map<string, Set<string>>();
  for (const [reader, names] of readings.flatMap((each) => [...each])) {
    for (const name of names) readers.set(name, (readers.get(name) ?? new Set()).add(reader));
  }
  return readers;
}
