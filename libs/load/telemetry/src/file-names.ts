/** `<table>-part-<number>.parquet`, with the suffix `.open` until it is complete; `journal-<number>`. */
import { TABLE_NAMES, type TableName } from './table/tables.ts';

const DIGITS = 5;
const PART = /^([a-z]+)-part-(\d{5,})\.parquet(\.open)?$/;
const JOURNAL = /^journal-(\d{5,})$/;

export interface PartName {
  readonly table: TableName;
  readonly number: number;
  readonly isComplete: boolean;
}

export function partName(table: TableName, number: number): string {
  return `${table}-part-${String(number).padStart(DIGITS, '0')}.parquet`;
}

export function openName(name: string): string {
  return `${name}.open`;
}

export function journalName(number: number): string {
  return `journal-${String(number).padStart(DIGITS, '0')}`;
}

/** Undefined for any other name. */
export function parsePartName(name: string): PartName | undefined {
  const [, word, digits, suffix] = PART.exec(name) ?? [];
  const table = TABLE_NAMES.find((known) => known === word);
  if (table === undefined) return undefined;
  return { table, number: Number(digits), isComplete: suffix === undefined };
}

/** The number in a journal's name; undefined for any other name. */
export function parseJournalName(name: string): number | undefined {
  const digits = JOURNAL.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
