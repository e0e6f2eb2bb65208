import { assert } from '#platform/foundation';
import { INTEGER_MAX } from '../limits.ts';
import { type ColumnKind, type ColumnType, TABLE_NAMES, type TableName, TABLES } from './tables.ts';

/** A parsed column of `TABLES`. */
export interface ColumnSpec {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
  /** The allowed values of an enumerated `dict`; else undefined. */
  readonly choices: ReadonlySet<string> | undefined;
}

interface IntegerRange {
  readonly least: number;
  readonly most: number;
}

const RANGES = {
  i64: { least: -INTEGER_MAX, most: INTEGER_MAX },
  i32: { least: -(2 ** 31), most: 2 ** 31 - 1 },
  u8: { least: 0, most: 255 },
  bool: { least: 0, most: 1 },
} as const satisfies Partial<Record<ColumnKind, IntegerRange>>;

/** Value size in bytes of the kinds with a fixed width. */
export const FIXED_WIDTHS = { bytes32: 32, address: 20 } as const satisfies Partial<
  Record<ColumnKind, number>
>;

const SPECS: ReadonlyMap<TableName, readonly ColumnSpec[]> = new Map(
  TABLE_NAMES.map((table) => [table, Object.entries<ColumnType>(TABLES[table]).map(specOf)]),
);

/** The columns of a table, in order. */
export function columnsOf(table: TableName): readonly ColumnSpec[] {
  const specs = SPECS.get(table);
  assert(specs !== undefined, `expected a table, got ${table}`);
  return specs;
}

export function isNumberKind(kind: ColumnKind): kind is keyof typeof RANGES {
  return kind in RANGES;
}

export function isFixedKind(kind: ColumnKind): kind is keyof typeof FIXED_WIDTHS {
  return kind in FIXED_WIDTHS;
}

export function rangeOf(kind: keyof typeof RANGES): IntegerRange {
  return RANGES[kind];
}

function specOf([name, type]: [string, ColumnType]): ColumnSpec {
  if (typeof type !== 'string') return { name, kind: 'dict', isNullable: false, choices: new Set(type) };
  const isNullable = type.endsWith('?');
  const kind = (isNullable ? type.slice(0, -1) : type) as ColumnKind;
  return { name, kind, isNullable, choices: undefined };
}
