/** *Hot path*: the accounts of each row of a run. */
import type { FixedColumn } from '#load/telemetry';
import type { AccountIndex } from './account-index.ts';

/**
 * The account number of each row: every address of the batch is looked up once, however many rows have it.
 */
export function accountNumbers(column: FixedColumn, index: AccountIndex, known: 'add' | 'find'): Int32Array {
  const count = column.bytes.length / column.width;
  const numbers = new Int32Array(count);
  for (let code = 0; code < count; code++) {
    const offset = code * column.width;
    numbers[code] = known === 'add' ? index.number(column.bytes, offset) : index.find(column.bytes, offset);
  }
  return column.codes.map((code) => (code === -1 ? -1 : numbers[code]!));
}
