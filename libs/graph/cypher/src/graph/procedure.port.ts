import type { Run } from './run.ts';
import type { Value } from '../value/value.ts';

/** An argument or a column, with its type as Cypher writes it. */
export interface ProcedureField {
  readonly name: string;
  readonly type: string;
}

/** Rows of values by the procedure's outputs; undefined in between offers a pause. */
export type ProcedureRows = Generator<readonly Value[] | undefined, void>;

export interface Procedure {
  readonly name: string;
  readonly description: string;
  readonly mode: 'READ' | 'DBMS';
  readonly inputs: readonly ProcedureField[];
  /** How many of them no call may leave out; default: all. */
  readonly requiredInputs?: number;
  /** Columns of its rows. If there are none, each row of the statement passes once. */
  readonly outputs: readonly ProcedureField[];
  rows(args: readonly Value[], run: Run): ProcedureRows;
}

/** What CALL can find: always the same, so that a compiled statement can be kept. */
export interface Procedures {
  /** Finds a procedure by its name in any case of letters. */
  find(name: string): Procedure | undefined;
  /** All that a user may call. */
  list(): readonly Procedure[];
}
