import type { FieldDefinition } from 'parquetjs-lite';
import { TABLES, type ColumnType } from '../../libs/load/telemetry/src/index.ts';

/** One event as a message. */
export interface TableRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

const RECORDED = ['transactions', 'feed', 'receipts'] as const;
const TYPES: Readonly<Record<string, FieldDefinition['type']>> = {
  i64: 'INT64',
  i32: 'INT32',
  u8: 'INT32',
  bool: 'BOOLEAN',
};

/** The columns of the product's own files, with the same compression. */
export const ROW_SCHEMAS: Readonly<Record<string, Readonly<Record<string, FieldDefinition>>>> =
  Object.fromEntries(
    RECORDED.map((table) => {
      const columns = Object.entries<ColumnType>({ edge_id: 'dict', instance_id: 'dict', ...TABLES[table] });
      return [table, Object.fromEntries(columns.map(([name, type]) => [name, fieldOf(type)]))];
    }),
  );

/** The form in a message: bytes as hexadecimal text, wei as decimal text. */
export function plainRow(row: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? `0x${Buffer.from(value).toString('hex')}` : value;
}

function fieldOf(type: ColumnType): FieldDefinition {
  const isOptional = typeof type === 'string' && type.endsWith('?');
  const kind = typeof type !== 'string' ? 'dict' : isOptional ? type.slice(0, -1) : type;
  return { type: TYPES[kind] ?? 'UTF8', optional: isOptional, compression: 'SNAPPY' };
}
