/** *Hot path*: values of each row of a run. */
import type { FixedColumn, NumericColumn, TextColumn } from '#load/telemetry';
import { InvariantViolation } from '#platform/foundation';

/** The number of a row in a column without nulls. */
export function numberAt({ values }: NumericColumn, row: number): number {
  const value = values[row];
  if (value === undefined || Number.isNaN(value)) throw new InvariantViolation(`row ${row} has no number`);
  return value;
}

export function numberOrNull({ values }: NumericColumn, row: number): number | null {
  const value = values[row];
  return value === undefined || Number.isNaN(value) ? null : value;
}

export function textOrNull({ codes, texts }: TextColumn, row: number): string | null {
  return texts[codes[row]!] ?? null;
}

/** The text of a row in a column without nulls. */
export function textAt(column: TextColumn, row: number): string {
  const text = textOrNull(column, row);
  if (text === null) throw new InvariantViolation(`row ${row} has no text`);
  return text;
}

/** An amount, or null. */
export function bigintOrNull(column: TextColumn, row: number): bigint | null {
  const text = textOrNull(column, row);
  return text === null ? null : BigInt(text);
}

/** Returns the bytes as `0x…`, or null. */
export function hexOrNull({ codes, width, bytes }: FixedColumn, row: number): string | null {
  const code = codes[row]!;
  return code === -1 ? null : hexOf(bytes.subarray(code * width, (code + 1) * width));
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;
}
