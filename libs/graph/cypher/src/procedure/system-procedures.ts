/** Procedures that drivers and browsers call to learn what they are connected to. */
import { FUNCTION_GROUPS } from '../function/functions.ts';
import { AGGREGATE_NAMES } from '../function/aggregates.ts';
import { SHOWABLES, type Showable } from '../syntax/show.ts';
import type { Run } from '../graph/run.ts';
import type { Value } from '../value/value.ts';
import { constraintRows, indexRows } from './schema-rows.ts';
import type { Procedure, ProcedureRows } from '../graph/procedure.port.ts';
import { fieldsOf, signatureOf } from './procedure-table.ts';

/** The version of Neo4j whose clients find what they look for here. */
export const COMPATIBLE_VERSION = '5.26.0';

type RowsOf = (run: Run) => readonly (readonly Value[])[];

function fixed(
  name: string,
  outputs: Readonly<Record<string, string>>,
  { description, rows }: { readonly description: string; readonly rows: RowsOf },
): Procedure {
  return {
    name,
    description,
    mode: 'DBMS',
    inputs: [],
    outputs: fieldsOf(outputs),
    *rows(_, run): ProcedureRows {
      yield* rows(run);
    },
  };
}

const COMPONENTS: RowsOf = () => [['Neo4j Kernel', [COMPATIBLE_VERSION], 'community']];
const INFO = { id: 'STRING', name: 'STRING', creationDate: 'STRING' };

/** `list`: all that a user may call, these among them. */
export const systemProcedures = (list: () => readonly Procedure[]): readonly Procedure[] => [
  fixed(
    'dbms.components',
    { name: 'STRING', versions: 'LIST<STRING>', edition: 'STRING' },
    { description: 'The version of Neo4j whose clients are served.', rows: COMPONENTS },
  ),
  fixed(
    'db.ping',
    { success: 'BOOLEAN' },
    { description: 'Whether the server answers.', rows: () => [[true]] },
  ),
  fixed('db.info', INFO, { description: 'The database.', rows: () => [['plexus', 'neo4j', null]] }),
  fixed('dbms.info', INFO, { description: 'The server.', rows: () => [['plexus', 'system', null]] }),
  {
    ...fixed('db.awaitIndexes', {}, { description: 'Every property is indexed at once.', rows: () => [] }),
    inputs: fieldsOf({ timeOutSeconds: 'INTEGER' }),
    requiredInputs: 0,
  },
  {
    ...fixed('db.awaitIndex', {}, { description: 'Every property is indexed at once.', rows: () => [] }),
    inputs: fieldsOf({ indexName: 'STRING', timeOutSeconds: 'INTEGER' }),
    requiredInputs: 1,
  },
  fixed(
    'dbms.clientConfig',
    { name: 'STRING', description: 'STRING', value: 'STRING', dynamic: 'BOOLEAN' },
    { description: 'Settings for clients: none.', rows: () => [] },
  ),
  fixed(
    'dbms.procedures',
    { name: 'STRING', signature: 'STRING', description: 'STRING', mode: 'STRING', worksOnSystem: 'BOOLEAN' },
    {
      description: 'All procedures.',
      rows: () =>
        list().map((each) => [
          each.name,
          signatureOf(each),
          each.description,
          each.mode,
          each.mode === 'DBMS',
        ]),
    },
  ),
  fixed(
    'dbms.functions',
    { name: 'STRING', signature: 'STRING', category: 'STRING', description: 'STRING' },
    {
      description: 'All functions.',
      rows: () => FUNCTIONS.map(({ name, category, signature }) => [name, signature, category, '']),
    },
  ),
];

interface ListedFunction {
  readonly name: string;
  readonly category: string;
  readonly signature: string;
  readonly isAggregating: boolean;
}

const FUNCTIONS: readonly ListedFunction[] = [
  ...AGGREGATE_NAMES.map((name) => ({
    name,
    category: 'Aggregating',
    signature: `${name}(${name.startsWith('percentile') ? 'value, percentile' : 'value'})`,
    isAggregating: true,
  })),
  ...FUNCTION_GROUPS.flatMap(([category, table]) =>
    Object.entries(table).map(([name, { min, max }]) => ({
      name,
      category,
      signature: `${name}(${argumentsText(min, max)})`,
      isAggregating: false,
    })),
  ),
].sort((a, b) => (a.name < b.name ? -1 : 1));

/** `a, b [, c]` */
function argumentsText(min: number, max: number): string {
  const names = Array.from({ length: min }, (_, index) => String.fromCodePoint(97 + index));
  const further = max === Infinity ? [' [, …]'] : [];
  const optional = Array.from({ length: max === Infinity ? 0 : max - min }, (_, index) => {
    return `${min + index === 0 ? ' [' : ' [, '}${String.fromCodePoint(97 + min + index)}]`;
  });
  return `${names.join(', ')}${[...further, ...optional].join('')}`.trim();
}

function shown({ procedure, columns, further }: Showable, rows: RowsOf): Procedure {
  const outputs = Object.fromEntries([...columns, ...further].map((name) => [name, 'ANY']));
  return fixed(procedure, outputs, { description: '', rows });
}

interface DatabaseFacts {
  readonly type?: string;
  readonly aliases?: readonly string[];
  readonly isDefault?: boolean;
}

function databaseRow(
  name: string,
  { type = 'standard', aliases = [], isDefault = false }: DatabaseFacts = {},
): readonly Value[] {
  const state = ['read-write', null, 'primary', true, 'online', 'online', ''];
  return [name, type, aliases, ...state, isDefault, isDefault, []];
}

/** What SHOW reads; not for CALL. */
export const showProcedures = (
  list: () => readonly Procedure[],
  databases: () => Iterable<string>,
): readonly Procedure[] => [
  shown(SHOWABLES.procedures, () =>
    [...list()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((each) => [
        each.name,
        each.description,
        each.mode,
        each.mode === 'DBMS',
        signatureOf(each),
        false,
      ]),
  ),
  shown(SHOWABLES.functions, () =>
    FUNCTIONS.map(({ name, category, signature, isAggregating }) => [
      name,
      category,
      signature,
      signature,
      true,
      isAggregating,
      false,
    ]),
  ),
  shown(SHOWABLES.databases, () => [
    databaseRow('neo4j', { aliases: ['plexus'], isDefault: true }),
    ...[...databases()].sort().map((name) => databaseRow(name)),
    databaseRow('system', { type: 'system' }),
  ]),
  shown(SHOWABLES.indexes, ({ schema }) => indexRows(schema.rules)),
  shown(SHOWABLES.constraints, ({ schema }) => constraintRows(schema.rules)),
];
