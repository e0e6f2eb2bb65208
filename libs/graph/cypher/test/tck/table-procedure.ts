import type { Procedure, ProcedureField } from '../../src/graph/procedure.port.ts';
import { equal } from '../../src/value/equality.ts';
import type { Value } from '../../src/value/value.ts';

/**
 * A procedure as the kit declares it: `name(in :: TYPE?) :: (out :: TYPE?)`, with a table of arguments and
 * results. A call gives the results of the lines whose arguments are its own.
 */
export function tableProcedure(signature: string, table: readonly (readonly Value[])[]): Procedure {
  const [, name = '', inputs = '', outputs = ''] = /^(\S+?)\((.*?)\)\s*::\s*\((.*?)\)/.exec(signature) ?? [];
  const fields = fieldsOf(inputs);
  return {
    name,
    description: '',
    mode: 'READ',
    inputs: fields,
    outputs: fieldsOf(outputs),
    *rows(args) {
      for (const line of table) {
        if (fields.every((_, at) => isSame(line[at] ?? null, args[at] ?? null)))
          yield line.slice(fields.length);
      }
    },
  };
}

function isSame(a: Value, b: Value): boolean {
  return (a === null && b === null) || equal(a, b) === true;
}

function fieldsOf(text: string): readonly ProcedureField[] {
  if (text.trim() === '') return [];
  return text.split(',').map((field) => {
    const [name = '', type = ''] = field.split('::').map((part) => part.trim());
    return { name, type };
  });
}
