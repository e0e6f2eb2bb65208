import { DEPTHS } from '../data/questions.ts';
import { LOADED_AT, SOURCE, type EntityRecord, type EntityRow } from '../data/rows.ts';
import { LINK_KINDS } from '../data/vocabulary.ts';

/**
 * The schema and the queries shared by the SQL engines. `n` is a dense integer key assigned by the loader,
 * verbs are numbers, sources a constant known to the application: all to the advantage of tables.
 */
export const ENTITY_COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ['n', 'INTEGER'],
  ['id', 'TEXT'],
  ['type', 'TEXT'],
  ['class', 'TEXT'],
  ['key', 'TEXT'],
  ['display_name', 'TEXT'],
  ['name', 'TEXT'],
  ['state', 'TEXT'],
  ['region', 'TEXT'],
  ['env', 'TEXT'],
  ['owner', 'TEXT'],
  ['rack', 'TEXT'],
  ['cpu', 'DOUBLE PRECISION'],
  ['serial', 'TEXT'],
  ['created_at', 'TEXT'],
  ['updated_at', 'TEXT'],
  ['last_seen_at', 'TEXT'],
  ['deleted_at', 'TEXT'],
  ['version', 'INTEGER'],
];

export const COLUMN_NAMES = ENTITY_COLUMNS.map(([name]) => name).join(', ');

/** A row as returned by the drivers. */
export interface SqlEntity {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly display_name: string;
  readonly name: string;
  readonly state: string;
  readonly region: string;
  readonly env: string;
  readonly owner: string | null;
  readonly rack: string;
  readonly cpu: number;
  readonly serial: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_seen_at: string;
  readonly deleted_at: null;
  readonly version: number;
}

export type SqlValue = string | number | null;

/** Values in the order of {@link ENTITY_COLUMNS}. */
export function valuesOf({ index, id, body }: EntityRow): SqlValue[] {
  const { name, state, region, env, owner, rack, cpu, serial } = body.properties;
  return [
    index,
    id,
    body.type,
    body.class,
    body.key,
    body.key,
    name,
    state,
    region,
    env,
    owner ?? null,
    rack,
    cpu,
    serial,
    LOADED_AT,
    LOADED_AT,
    LOADED_AT,
    null,
    1,
  ];
}

export function recordOfRow(row: SqlEntity): EntityRecord {
  const { name, state, region, env, owner, rack, cpu, serial } = row;
  const properties =
    owner === null
      ? { name, state, region, env, rack, cpu, serial }
      : { name, state, region, env, owner, rack, cpu, serial };
  return {
    id: row.id,
    type: row.type,
    class: row.class,
    key: row.key,
    display_name: row.display_name,
    properties,
    source: SOURCE,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_seen_at: row.last_seen_at,
    deleted_at: row.deleted_at,
    version: row.version,
  };
}

export function jsonOfRows(rows: readonly SqlEntity[]): Uint8Array {
  return Buffer.from(JSON.stringify(rows.map(recordOfRow)));
}

function kindOf(verb: string): string {
  return LINK_KINDS.findIndex((kind) => kind.verb === verb).toString();
}

const hosts = `FROM entity WHERE type = 'host'`;

/** Parameters are written `$1`, `$2` and occur once each, in this order; the order of `n` is that of keys. */
export const QUERIES = {
  lookup: `SELECT ${COLUMN_NAMES} FROM entity WHERE id = $1`,
  hosts: `SELECT ${COLUMN_NAMES} ${hosts} AND state = $1 ORDER BY n`,
  rack: `SELECT ${COLUMN_NAMES} ${hosts} AND rack = $1 ORDER BY n`,
  count: `SELECT count(*) AS answer ${hosts} AND state = $1`,
  group: `SELECT region AS value, count(*) AS count ${hosts} GROUP BY region`,
  notExists: `SELECT count(*) AS answer ${hosts} AND owner IS NULL`,
  either: `SELECT count(*) AS answer ${hosts} AND (state = $1 OR region = $2)`,
  twoHopsSelective: `
    SELECT count(DISTINCT owns.src) AS answer FROM entity service
    JOIN link runs ON runs.dst = service.n AND runs.kind = ${kindOf('RUNS')}
    JOIN link owns ON owns.dst = runs.src AND owns.kind = ${kindOf('OWNS')}
    WHERE service.type = 'service' AND service.name = $1`,
  twoHops: `
    SELECT count(DISTINCT owns.src) AS answer FROM link owns
    JOIN link runs ON runs.src = owns.dst AND runs.kind = ${kindOf('RUNS')}
    WHERE owns.kind = ${kindOf('OWNS')}`,
} as const;

/** Breadth-first search as a recursive query that keeps each entity once per level. */
export function breadthQuery(depth: number): string {
  return `
    WITH RECURSIVE reached(n, depth) AS (
      SELECT CAST($1 AS INTEGER), 0
      UNION SELECT link.dst, depth + 1 FROM reached JOIN link ON link.src = reached.n WHERE depth < ${depth}
    ) SELECT count(DISTINCT n) - 1 AS answer FROM reached`;
}

export const BREADTH_SHALLOW = breadthQuery(DEPTHS.shallow);
export const BREADTH_DEEP = breadthQuery(DEPTHS.deep);

/** The indexes needed by the queries, and no others. */
export const INDEXES: readonly string[] = [
  ...['state', 'region', 'owner', 'rack', 'name'].map(
    (column) => `CREATE INDEX entity_${column} ON entity (type, ${column})`,
  ),
  'CREATE INDEX link_back ON link (dst, kind, src)',
];
