import {
  array,
  boolean,
  checked,
  mapped,
  object,
  oneOf,
  optional,
  record,
  required,
  type Shape,
  union,
} from '#platform/config';
import { type ConfigField, words } from '../../config/config-field.ts';

/** How the text of a column is understood. `list`: parts between separators. */
export const VALUE_KINDS = ['text', 'integer', 'number', 'boolean', 'list'] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** Where the value of a property comes from. */
export interface ColumnValue {
  readonly column: string;
  /** Default: as the source has it; a column of CSV is text. */
  readonly as?: ValueKind | undefined;
  /** Of a list; default `;`. */
  readonly separator?: string | undefined;
}

/** A relationship of each row to the entity whose key is in a column. */
export interface ColumnRelationship {
  readonly verb: string;
  /** The type of the other entity. */
  readonly type: string;
  /** The end of the relationship at which the row's entity is. */
  readonly end: 'from' | 'to';
  readonly column: string;
  /** Between several keys in one cell; default: the cell is one key. */
  readonly separator?: string | undefined;
  /** Whether the other entity is created, with its key alone, if no row states it. */
  readonly creates: boolean;
}

/** How a row becomes an entity with relationships. */
export interface RecordMapping {
  /** Of all rows, or the column that has it. */
  readonly type: string | { readonly column: string };
  readonly class?: string | undefined;
  /** Columns whose texts, joined by slashes, are the key. */
  readonly key: readonly string[];
  /** The column of the display name; default: the key. */
  readonly name?: string | undefined;
  /** By name; undefined: all columns that nothing else names. */
  readonly properties?: Readonly<Record<string, ColumnValue>> | undefined;
  readonly relationships: readonly ColumnRelationship[];
}

export const SEPARATOR = ';';
export const KEY_SEPARATOR = '/';
const COLUMNS_MAX = 1_024;
const RELATIONSHIPS_MAX = 100;

const columnValue = object({
  column: required(words, 'the column'),
  as: optional(oneOf(VALUE_KINDS), 'how its text is understood'),
  separator: optional(words, 'between the items of a list'),
});

const relationship = checked(
  object({
    verb: required(words, 'of the relationship'),
    to: optional(words, 'the type of the other entity, to which it leads'),
    from: optional(words, 'or the type of the other entity, from which it comes'),
    column: required(words, 'the column with the key of the other entity'),
    separator: optional(words, 'between several keys in one cell'),
    create: optional(boolean(), 'default true: the other entity is created with its key if no row states it'),
  }),
  ({ to, from }) => ((to === undefined) === (from === undefined) ? 'expected either to or from' : undefined),
);

const columns = array(words, { min: 1, max: 16 });

const written = object({
  type: required(typeShape(), 'of the entities'),
  class: optional(words, 'of the entities'),
  key: required(textOrList(), 'the column of the key, or several'),
  name: optional(words, 'the column of the display name'),
  properties: optional(
    record(words, columnOrText(), { max: COLUMNS_MAX }),
    'columns by the name of the property',
  ),
  relationships: optional(
    array(relationship, { min: 0, max: RELATIONSHIPS_MAX }),
    'to the entities whose keys are in columns',
  ),
});

export const MAPPING_SHAPE: Shape<RecordMapping> = mapped(written, ({ relationships = [], ...rest }) => ({
  ...rest,
  relationships: relationships.map(({ to, from, create = true, ...each }) => ({
    ...each,
    type: to ?? from ?? '',
    end: to === undefined ? ('to' as const) : ('from' as const),
    creates: create,
  })),
}));

/** Required, in the `config` of a connector. */
export const MAPPING_FIELD: ConfigField<RecordMapping> = {
  about: 'what the columns are: `type`, `class`, `key`, `name`, `properties`, `relationships`',
  shape: () => MAPPING_SHAPE,
};

function typeShape(): Shape<RecordMapping['type']> {
  return union(words, object({ column: required(words, 'the column with the type') }));
}

function textOrList(): Shape<readonly string[]> {
  return mapped(union(words, columns), (given) => (typeof given === 'string' ? [given] : given));
}

function columnOrText(): Shape<ColumnValue> {
  return mapped(union(words, columnValue), (given) =>
    typeof given === 'string' ? { column: given } : given,
  );
}

/** A mapping as a file has it. */
export interface WrittenMapping {
  readonly type: RecordMapping['type'];
  readonly class?: string | undefined;
  readonly key: string | readonly string[];
  readonly name?: string | undefined;
  readonly properties?: Readonly<Record<string, string | ColumnValue>> | undefined;
  readonly relationships?: readonly WrittenRelationship[] | undefined;
}

export interface WrittenRelationship {
  readonly verb: string;
  readonly to?: string | undefined;
  readonly from?: string | undefined;
  readonly column: string;
  readonly separator?: string | undefined;
  readonly create?: boolean | undefined;
}

/** All columns that a mapping names. */
export function mappedColumns(mapping: RecordMapping): ReadonlySet<string> {
  const properties = Object.values(mapping.properties ?? {}).map(({ column }) => column);
  return new Set([...linkingColumns(mapping), ...properties]);
}

/** The columns that a mapping names, without those of properties. */
export function linkingColumns({ type, key, name, relationships }: RecordMapping): ReadonlySet<string> {
  return new Set([
    ...(typeof type === 'string' ? [] : [type.column]),
    ...key,
    ...(name === undefined ? [] : [name]),
    ...relationships.map(({ column }) => column),
  ]);
}
