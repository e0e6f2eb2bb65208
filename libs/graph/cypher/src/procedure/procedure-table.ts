import type { Procedure, ProcedureField, Procedures } from '../graph/procedure.port.ts';

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
