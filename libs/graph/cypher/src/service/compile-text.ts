import type { StatementMode } from '../syntax/ast.ts';
import { parse } from '../parser/parse.ts';
import { type CompiledQuery, compileStatement, updatingClause } from '../query/compile-query.ts';
import { SyntaxFault } from '../syntax/fault.ts';

export interface CompiledText {
  readonly mode: StatementMode;
  readonly query: CompiledQuery;
}

/** Throws CYPHER_SYNTAX. */
export function compileText(text: string): CompiledText {
  const { mode, query } = parse(text);
  try {
    const update = updatingClause(query);
    if (update !== undefined) {
      const message = `${update.kind.toUpperCase()} is not supported yet: statements only read`;
      throw new SyntaxFault('NotSupported', update.span, message);
    }
    if (mode !== 'run')
      throw new SyntaxFault('NotSupported', query.span, `${mode.toUpperCase()} is not supported yet`);
    return { mode, query: compileStatement(query) };
  } catch (error) {
    throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
  }
}
