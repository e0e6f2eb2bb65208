import { tableName } from './postgres-keys.ts';

/** Full names of the tables with a name, by that name without its schema, as {@link tableName} writes it. */
export type TableNames = ReadonlyMap<string, readonly string[]>;

const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;
const PART = String.raw`(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)`;
const NAMES = new RegExp(`(${PART})(?:\\s*\\.\\s*(${PART}))?(?:\\s*\\.\\s*(${PART}))?`, 'gu');

/**
 * The tables that the text of a function may use: every word that is the name of one, also in the texts of
 * dynamic statements. A name without a schema stands for the tables of all schemas.
 */
export function namedTables(body: string, tables: TableNames): readonly string[] {
  const found = new Set<string>();
  for (const [, ...parts] of body.replace(COMMENTS, ' ').matchAll(NAMES)) {
    const names = parts.filter(Boolean).map(nameIn);
    for (const [at, name] of names.entries()) {
      const candidates = tables.get(bareName(name)) ?? [];
      const schema = names[at - 1];
      const exact = schema === undefined ? undefined : tableName(schema, name);
      // `orders.id` names the table orders; `sales.orders` the one of that schema.
      for (const candidate of candidates)
        if (exact === undefined || candidate === exact) found.add(candidate);
    }
  }
  return [...found].sort();
}

function nameIn(part: string): string {
  return part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part.toLowerCase();
}

function bareName(name: string): string {
  return tableName('', name).slice(1);
}
