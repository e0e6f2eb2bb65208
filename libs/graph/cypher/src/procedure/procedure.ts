import type { Run } from '../graph/run.ts';
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
  /** Whether inputs may be left out, from the last one on. */
  readonly hasOptionalInputs?: true;
  /** Without any, each row of the statement passes once. */
  readonly outputs: readonly ProcedureField[];
  rows(args: readonly Value[], run: Run): ProcedureRows;
}

/** What CALL can find. */
export interface Procedures {
  /** By name in any case of letters. */
  find(name: string): Procedure | undefined;
  /** All that a user may call. */
  list(): readonly Procedure[];
}

export function procedureTable(
  procedures: readonly Procedure[],
  hidden: readonly Procedure[] = [],
): Procedures {
  const byName = new Map([...procedures, ...hidden].map((each) => [each.name.toLowerCase(), each]));
  return { find: (name) => byName.get(name.toLowerCase()), list: () => procedures };
}

export function fieldsOf(types: Readonly<Record<string, string>>): readonly ProcedureField[] {
  return Object.entries(types).map(([name, type]) => ({ name, type }));
}

/** `db.labels() :: (label :: STRING)` */
export function signatureOf({ name, inputs, outputs }: Procedure): string {
  const list = (fields: readonly ProcedureField[]): string =>
    `(${fields.map((field) => `${field.name} :: ${field.type}`).join(', ')})`;
  return `${name}${list(inputs)} :: ${outputs.length === 0 ? 'VOID' : list(outputs)}`;
}
