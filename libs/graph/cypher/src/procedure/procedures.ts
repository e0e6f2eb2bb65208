import type { Procedure, Procedures } from '../graph/procedure.port.ts';
import { FULL_TEXT_PROCEDURES } from './full-text-procedures.ts';
import { procedureTable } from './procedure-table.ts';
import { SCHEMA_PROCEDURES } from './schema-procedures.ts';
import { showProcedures, systemProcedures } from './system-procedures.ts';

const list = (): readonly Procedure[] => LISTED;
const LISTED: readonly Procedure[] = [
  ...SCHEMA_PROCEDURES,
  ...FULL_TEXT_PROCEDURES,
  ...systemProcedures(list),
];

/** All procedures of the product; `databases`: the names of those beside the default one. */
export function proceduresOf(databases: () => Iterable<string>): Procedures {
  return procedureTable(LISTED, showProcedures(list, databases));
}

/** The same for a store alone. */
export const PROCEDURES: Procedures = proceduresOf(() => []);
