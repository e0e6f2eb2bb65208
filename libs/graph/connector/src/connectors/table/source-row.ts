/** A row of a table, or a record. */
export interface SourceRow {
  /** `line 12`, for messages. */
  readonly place: string;
  /** Undefined or null if it is absent; an empty text is one. */
  readonly value: (column: string) => unknown;
  readonly columns: () => readonly string[];
}

/** A row that cannot be read; those after it can. */
export interface BadRow {
  readonly place: string;
  readonly fault: string;
}

/** What a reader has found between two pauses. */
export type RowBatch = readonly (SourceRow | BadRow)[];

export function isBadRow(row: SourceRow | BadRow): row is BadRow {
  return 'fault' in row;
}
