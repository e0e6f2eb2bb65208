import type { StatementMode } from '../syntax/ast.ts';
import { parse } from '../parser/parse.ts';
import { type CompiledStatement, compileStatement, statementKind } from '../query/compile-query.ts';
import type { Procedures } from '../graph/procedure.port.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { StatementNames } from './unknown-names.ts';
import type { Value } from '../value/value.ts';
import type { StatementKind } from './transaction.port.ts';

export interface CompiledText {
  readonly text: string;
  readonly mode: StatementMode;
  readonly kind: StatementKind;
  readonly query: CompiledStatement;
  readonly names: StatementNames;
}

/** Before anything runs: a parameter of the statement without a value is CYPHER_SYNTAX at its place. */
export function requireParameters(
  { text, mode, query }: CompiledText,
  parameters: ReadonlyMap<string, Value>,
): void {
  if (mode === 'explain') return;
  for (const [name, span] of query.parameters) {
    if (parameters.has(name)) continue;
    const message = `expected a value of the parameter $${name}, got none`;
    const code = 'Neo.ClientError.Statement.ParameterMissing';
    throw new SyntaxFault('MissingParameter', span, message, { code }).toDomainError(text);
  }
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
