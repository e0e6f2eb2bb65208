/**
 * `SHOW INDEXES YIELD … ORDER BY … WHERE … RETURN …`: read as a call of the procedure that lists them, then
 * WITH for order and limits, and RETURN of all columns where the statement has none.
 */
import type { CallClause, Clause, Expression, Name, ProjectionClause, Query, Span } from '../syntax/ast.ts';
import { SHOW_PHRASES, type Showable } from '../syntax/show.ts';
import type { Cursor } from './cursor.ts';
import { parseOrderAndLimits, parseProjection } from './projection.ts';

/** Whether the statement lists what the store has. */
export function isShow(cursor: Cursor): boolean {
  return cursor.isKeyword('SHOW') && cursor.isName(1);
}

export function parseShow(cursor: Cursor): Query {
  const start = cursor.token;
  cursor.expectKeyword('SHOW');
  const subject = parseSubject(cursor);
  const named = parseDatabaseName(cursor, subject);
  if (cursor.acceptPhrase('EXECUTABLE')) cursor.acceptPhrase('BY', 'CURRENT', 'USER');
  const hasYield = cursor.acceptPhrase('YIELD');
  const yields = hasYield ? parseYields(cursor, subject) : namesOf(subject.columns, cursor.spanFrom(start));
  const clauses = hasYield ? parseRefinement(cursor, yields) : [];
  const where = !hasYield && cursor.acceptPhrase('WHERE') ? cursor.expression() : named;
  const call: CallClause = {
    kind: 'call',
    isOptional: false,
    procedure: { text: subject.procedure, span: cursor.spanFrom(start) },
    args: [],
    yields,
    where,
    span: cursor.spanFrom(start),
  };
  const last = hasYield && cursor.isKeyword('RETURN') ? parseProjection(cursor) : returnOf(yields, call.span);
  return { parts: [[call, ...clauses, last]], unions: [], span: cursor.spanFrom(start) };
}

type Yields = readonly { readonly field: Name; readonly variable: Name }[];

function parseSubject(cursor: Cursor): Showable {
  for (const [words, subject] of SHOW_PHRASES) if (cursor.acceptPhrase(...words)) return subject;
  throw cursor.fault('INDEXES, CONSTRAINTS, PROCEDURES, FUNCTIONS or DATABASES');
}

/** `SHOW DATABASE neo4j` */
function parseDatabaseName(cursor: Cursor, { procedure }: Showable): Expression | undefined {
  const isName = cursor.isName() && !['YIELD', 'WHERE', 'EXECUTABLE'].includes(cursor.token.keyword);
  if (procedure !== 'show databases' || !isName) return undefined;
  const { text, span } = cursor.expectName('the name of a database');
  return {
    kind: 'comparison',
    first: { kind: 'variable', name: 'name', span },
    rest: [{ operator: '=', operand: { kind: 'literal', value: text, span } }],
    span,
  };
}

function parseYields(cursor: Cursor, { columns, further }: Showable): Yields {
  const start = cursor.token;
  if (cursor.acceptSymbol('*')) return namesOf([...columns, ...further], cursor.spanFrom(start));
  return cursor.list(() => {
    const field = cursor.expectName('a column');
    return { field, variable: cursor.acceptPhrase('AS') ? cursor.expectName('a variable') : field };
  });
}

function namesOf(names: readonly string[], span: Span): Yields {
  return names.map((text) => ({ field: { text, span }, variable: { text, span } }));
}

/** ORDER BY, SKIP, LIMIT and WHERE after YIELD. */
function parseRefinement(cursor: Cursor, yields: Yields): readonly Clause[] {
  const start = cursor.token;
  const { order, skip, limit } = parseOrderAndLimits(cursor);
  const where = cursor.acceptPhrase('WHERE') ? cursor.expression() : undefined;
  const span = cursor.spanFrom(start);
  return [{ ...projectionOf('with', yields, span), order, skip, limit, where }];
}

function returnOf(yields: Yields, span: Span): ProjectionClause {
  return projectionOf('return', yields, span);
}

function projectionOf(kind: 'with' | 'return', yields: Yields, span: Span): ProjectionClause {
  const items = yields.map(({ variable: { text } }) => {
    const expression = { kind: 'variable' as const, name: text, span };
    return { expression, name: text, hasAlias: false, span };
  });
  const none = { order: [], skip: undefined, limit: undefined, where: undefined };
  return { kind, isDistinct: false, isAll: false, items, ...none, span };
}
