import type { Steps } from '#platform/foundation';
import { PROCEDURES } from '../procedure/procedures.ts';
import { allParts } from '../syntax/all-parts.ts';
import type { CallClause, Clause, Query, StatementMode } from '../syntax/ast.ts';
import { parseSteps } from '../parser/parse.ts';
import { compileStatement, statementKind } from '../query/compile-query.ts';
import type { CompiledStatement } from '../query/compiled-query.ts';
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
  /** Names of the columns, and the slots that they are in. */
  readonly columns: readonly string[];
  readonly slots: readonly number[];
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

/** The database `system` has no graph, indexes or constraints. */
function refuseGraph(query: Query, procedures: Procedures): void {
  for (const part of allParts(query)) {
    if (!('kind' in part) || !(isOfGraph(part) || isOfStore(part, procedures))) continue;
    const { span } = part as Clause;
    const message = 'the database system has no graph: expected SHOW DATABASES, or a procedure of the server';
    const code = 'Neo.ClientError.Statement.UnsupportedAdministrationCommand';
    throw new SyntaxFault('NotSupported', span, message, { code, hint: 'ask the database neo4j' });
  }
}

function isOfGraph({ kind }: { readonly kind: unknown }): boolean {
  return kind === 'match' || kind === 'pattern' || kind === 'pattern-comprehension' || WRITING.has(kind);
}

function isOfStore(part: { readonly kind: unknown }, procedures: Procedures): boolean {
  if (part.kind !== 'call' || !('procedure' in part)) return false;
  const { text } = (part as CallClause).procedure;
  return procedures.find(text)?.mode !== 'DBMS' || text === 'show indexes' || text === 'show constraints';
}

const WRITING: ReadonlySet<unknown> = new Set([
  'create',
  'merge',
  'set',
  'remove',
  'delete',
  'foreach',
  'schema',
]);

/** Throws CYPHER_SYNTAX. Takes time that grows with the text: others may have turns between the steps. */
export function* compileText(
  text: string,
  procedures: Procedures = PROCEDURES,
  isSystem = false,
): Steps<CompiledText> {
  const { mode, query } = yield* parseSteps(text);
  yield;
  try {
    if (isSystem) refuseGraph(query, procedures);
    const compiled = compileStatement(query, procedures);
    yield;
    // A plan alone changes nothing.
    const kind = mode === 'explain' ? 'r' : statementKind(query, compiled.columns !== undefined);
    const { columns = [] } = compiled;
    return {
      text,
      mode,
      kind,
      query: compiled,
      columns: columns.map(({ name }) => name),
      slots: columns.map(({ slot }) => slot),
      names: new StatementNames(query),
    };
  } catch (error) {
    throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
  }
}
