import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { Column } from '../table/table-batch.ts';

/** The different values of a column chunk, numbered in the order in which they come. */
export interface ValueDictionary {
  readonly size: number;
  /** In plain encoding. */
  readonly byteLength: number;
  /** For each value of a batch's column, by its code there, the code here; new values are added. */
  codesOf(column: Column): Int32Array;
  /** Appends the value in plain encoding. */
  writePlain(out: ByteWriter, code: number): void;
  clear(): void;
}
