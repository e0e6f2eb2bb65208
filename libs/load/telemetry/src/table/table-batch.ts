import type { TableName, TABLES } from './tables.ts';

/** One process lifetime of an edge, the source of rows and batches. */
export interface EdgeInstance {
  readonly edgeId: string;
  readonly instanceId: string;
}

/** Numbers; booleans are 0 and 1; NaN is null. */
export interface NumericColumn {
  readonly form: 'number';
  readonly values: Float64Array;
}

/** Row `r` has `texts[codes[r]]`; code −1 is null. */
export interface TextColumn {
  readonly form: 'text';
  readonly codes: Int32Array;
  readonly texts: readonly string[];
}

/** Row `r` has the `width` bytes at `codes[r] * width`; code −1 is null. */
export interface FixedColumn {
  readonly form: 'fixed';
  readonly codes: Int32Array;
  readonly width: number;
  readonly bytes: Uint8Array;
}

/** Row `r` has `blobs[codes[r]]`; code −1 is null. */
export interface BlobColumn {
  readonly form: 'blob';
  readonly codes: Int32Array;
  readonly blobs: readonly Uint8Array[];
}

export type Column = NumericColumn | TextColumn | FixedColumn | BlobColumn;

/** Rows of one table as columns of `rowCount` values each. */
export interface BatchOf<T extends TableName> {
  readonly table: T;
  readonly rowCount: number;
  readonly columns: { readonly [Name in keyof (typeof TABLES)[T]]: ColumnOf<(typeof TABLES)[T][Name]> };
}

/** A union discriminated by `table`. */
export type TableBatch = { [T in TableName]: BatchOf<T> }[TableName];

type ColumnOf<Type> = Type extends readonly string[]
  ? TextColumn
  : Type extends 'i64' | 'i64?' | 'i32' | 'i32?' | 'u8' | 'u8?' | 'bool' | 'bool?'
    ? NumericColumn
    : Type extends 'bytes32' | 'bytes32?' | 'address' | 'address?'
      ? FixedColumn
      : Type extends 'bytes' | 'bytes?'
        ? BlobColumn
        : TextColumn;

/** One row as an object, for recording: wei as bigint, hashes and addresses as raw bytes. */
export type RowOf<T extends TableName> = {
  readonly [Name in keyof (typeof TABLES)[T]]: ValueOf<(typeof TABLES)[T][Name]>;
};

type ValueOf<Type> = Type extends readonly (infer Text)[]
  ? Text
  : Type extends `${infer Kind}?`
    ? ValueOfKind<Kind> | null
    : ValueOfKind<Type>;

type ValueOfKind<Kind> = Kind extends 'i64' | 'i32' | 'u8'
  ? number
  : Kind extends 'bool'
    ? boolean
    : Kind extends 'dict' | 'utf8'
      ? string
      : Kind extends 'wei'
        ? bigint
        : Uint8Array;
