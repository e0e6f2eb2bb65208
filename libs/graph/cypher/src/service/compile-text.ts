import type { StatementMode } from '../syntax/ast.ts';
import { parse } from '../parser/parse.ts';
import { type CompiledQuery, compileStatement, statementKind } from '../query/compile-query.ts';
import type { Procedures } from '../graph/procedure.port.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { StatementNames } from './unknown-names.ts';
import type { StatementKind } from './transaction.port.ts';

export interface CompiledText {
  readonly text: string;
  readonly mode: StatementMode;
  readonly kind: StatementKind;
  readonly query: CompiledQuery;
  readonly names: StatementNames;
}

/** Throws CYPHER_SYNTAX. */
export function compileText(text: string, procedures?: Procedures): CompiledText {
  const { mode, query } = parse(text);
  try {
    const compiled = compileStatement(query, procedures);
    // A plan alone changes nothing.
    const kind = mode === 'explain' ? 'r' : statementKind(query, compiled.columns !== undefined);
    return { text, mode, kind, query: compiled, names: new StatementNames(query) };
  } catch (error) {
    throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
  }
}
