/**
 * `SHOW INDEXES YIELD … ORDER BY … WHERE … RETURN …`: read as a call of the procedure that lists them, then
 * WITH for order and limits, and RETURN of all columns where the statement has none.
 */
import type { CallClause, Clause, Expression, Name, ProjectionClause, Query, Span } from '../syntax/ast.ts';
import { INDEX_TYPES } from '../syntax/schema-rule.ts';
import { SHOW_PHRASES, SHOWABLES, type Showable } from '../syntax/show.ts';
import type { Cursor } from './cursor.ts';
import { parseOrderAndLimits, parseProjection } from './projection.ts';
import { refuseAdministration } from './refused.ts';

/** Whether the statement lists what the store has. */
export function isShow(cursor: Cursor): boolean {
  return cursor.isKeyword('SHOW') && cursor.isName(1);
}

export function parseShow(cursor: Cursor): Query {
  const start = cursor.token;
  const { subject, filter } = parseSubject(cursor);
  if (cursor.acceptPhrase('EXECUTABLE')) cursor.acceptPhrase('BY', 'CURRENT', 'USER');
  const hasYield = cursor.acceptPhrase('YIELD');
  const yields = hasYield ? parseYields(cursor, subject) : namesOf(subject.columns, cursor.spanFrom(start));
  const clauses = hasYield ? parseRefinement(cursor, yields) : [];
  const where = !hasYield && cursor.acceptPhrase('WHERE') ? cursor.expression() : undefined;
  const call: CallClause = {
    kind: 'call',
    isOptional: false,
    procedure: { text: subject.procedure, span: cursor.spanFrom(start) },
    args: [],
    yields: filter === undefined ? yields : [...yields, { field: filter.field, variable: HIDDEN }],
    where: filter?.condition ?? where,
    span: cursor.spanFrom(start),
  };
  const last = hasYield && cursor.isKeyword('RETURN') ? parseProjection(cursor) : returnOf(yields, call.span);
  return { parts: [[call, ...clauses, last]], unions: [], span: cursor.spanFrom(start) };
}

type Yields = readonly { readonly field: Name; readonly variable: Name }[];

interface Subject {
  readonly subject: Showable;
  /** `SHOW DATABASE neo4j` and `SHOW TEXT INDEXES` show those with one value of a column. */
  readonly filter: { readonly field: Name; readonly condition: Expression } | undefined;
}

function parseSubject(cursor: Cursor): Subject {
  const start = cursor.token;
  if (INDEX_TYPES.has(cursor.peek().keyword) && /^INDEX(?:ES)?$/.test(cursor.peek(2).keyword)) {
    cursor.advance();
    const { keyword } = cursor.advance();
    cursor.advance();
    return { subject: SHOWABLES.indexes, filter: filterOf('type', keyword, cursor.spanFrom(start)) };
  }
  for (const [words, subject] of SHOW_PHRASES) {
    if (cursor.acceptPhrase('SHOW', ...words)) return { subject, filter: parseDatabaseName(cursor, subject) };
  }
  refuseAdministration(cursor);
  cursor.advance();
  throw cursor.fault('INDEXES, CONSTRAINTS, PROCEDURES, FUNCTIONS or DATABASES');
}

/** `SHOW DATABASE neo4j` */
function parseDatabaseName(cursor: Cursor, { procedure }: Showable): Subject['filter'] {
  const isName = cursor.isName() && !['YIELD', 'WHERE', 'EXECUTABLE'].includes(cursor.token.keyword);
  if (procedure !== 'show databases' || !isName) return undefined;
  const { text, span } = cursor.expectName('the name of a database');
  return filterOf('name', text, span);
}

/** No name of a statement begins with a space. */
const HIDDEN: Name = { text: ' shown', span: { start: 0, end: 0 } };

function filterOf(column: string, value: string, span: Span): Subject['filter'] {
  const condition: Expression = {
    kind: 'comparison',
    first: { kind: 'variable', name: HIDDEN.text, span },
    rest: [{ operator: '=', operand: { kind: 'literal', value, span } }],
    span,
  };
  return { field: { text: column, span }, condition };
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
