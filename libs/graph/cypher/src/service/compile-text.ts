import type { StatementMode } from '../syntax/ast.ts';
import { parse } from '../parser/parse.ts';
import { type CompiledQuery, compileStatement, statementKind } from '../query/compile-query.ts';
import type { Procedures } from '../graph/procedure.port.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import type { StatementKind } from './transaction.port.ts';

export interface CompiledText {
  readonly mode: StatementMode;
  readonly kind: StatementKind;
  readonly query: CompiledQuery;
}

/** Throws CYPHER_SYNTAX. */
export function compileText(text: string, procedures?: Procedures): CompiledText {
  const { mode, query } = parse(text);
  try {
    if (mode !== 'run')
      throw new SyntaxFault('NotSupported', query.span, `${mode.toUpperCase()} is not supported yet`);
    const compiled = compileStatement(query, procedures);
    return { mode, kind: statementKind(query, compiled.columns !== undefined), query: compiled };
  } catch (error) {
    throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
  }
}
