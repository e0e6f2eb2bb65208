import { type Procedures, procedureTable } from './procedure.ts';
import { SCHEMA_PROCEDURES } from './schema-procedures.ts';
import { SHOW_PROCEDURES, SYSTEM_PROCEDURES } from './system-procedures.ts';

/** All procedures of the product. */
export const PROCEDURES: Procedures = procedureTable(
  [...SCHEMA_PROCEDURES, ...SYSTEM_PROCEDURES],
  SHOW_PROCEDURES,
);
