/** The smallest parts of expressions: literals, names, calls, lists, maps, CASE, subqueries. */
import type {
  CallExpression,
  Expression,
  MapEntry,
  MapProjection,
  Query,
  SubqueryExpression,
  VariableExpression,
} from '../syntax/ast.ts';
import { parseCase } from './case.ts';
import type { Cursor } from './cursor.ts';
import { parseListForm, parseQuantifier, parseReduce, QUANTIFIERS } from './list-forms.ts';
import { numberValue, parseMap } from './map.ts';
import { parseTextForm } from './text-forms.ts';
import { isPatternStart, isSelector, parseAnonymousPath, parseSelectedPath } from './pattern.ts';

const CONSTANTS: Readonly<Record<string, boolean | number | null>> = {
  TRUE: true,
  FALSE: false,
  NULL: null,
  NAN: NaN,
  INF: Infinity,
  INFINITY: Infinity,
};
const SUBQUERIES: Readonly<Record<string, SubqueryExpression['form']>> = {
  EXISTS: 'exists',
  COUNT: 'count',
  COLLECT: 'collect',
};

export function parseAtom(cursor: Cursor): Expression {
  const { kind, start, end, text } = cursor.token;
  const span = { start, end };
  switch (kind) {
    case 'integer':
    case 'float':
      return { kind: 'literal', value: numberValue(cursor, false), span };
    case 'string':
      cursor.advance();
      return { kind: 'literal', value: text, span };
    case 'parameter':
      cursor.advance();
      return { kind: 'parameter', name: text, span };
    case 'word':
      return parseWord(cursor);
    case 'name':
      return parseNamed(cursor);
    case 'symbol':
      return parseBracketed(cursor);
    case 'end':
    case 'fault':
      throw cursor.fault('an expression');
  }
}

function parseBracketed(cursor: Cursor): Expression {
  if (cursor.isSymbol('[')) return cursor.nested(() => parseListForm(cursor));
  if (cursor.isSymbol('{')) return cursor.nested(() => cursor.reservingBar(false, () => parseMap(cursor)));
  if (isPatternStart(cursor)) return parsePatternExpression(cursor);
  if (!cursor.acceptSymbol('(')) throw cursor.fault('an expression');
  const inner = cursor.reservingBar(false, () => cursor.expression());
  cursor.expectSymbol(')');
  return inner;
}

function parsePatternExpression(cursor: Cursor): Expression {
  const start = cursor.token;
  const pattern = parseAnonymousPath(cursor);
  return { kind: 'pattern', pattern, span: cursor.spanFrom(start) };
}

function parseWord(cursor: Cursor): Expression {
  const { keyword, start, end } = cursor.token;
  const constant = CONSTANTS[keyword];
  if (constant !== undefined && !cursor.isSymbol('(', 1)) {
    cursor.advance();
    return { kind: 'literal', value: constant, span: { start, end } };
  }
  if (keyword === 'CASE' && isCase(cursor)) return cursor.nested(() => parseCase(cursor));
  const form = SUBQUERIES[keyword];
  if (form !== undefined && cursor.isSymbol('{', 1)) return parseSubqueryExpression(cursor, form);
  return cursor.isSymbol('(', 1) ? parseCallForm(cursor) : parseNamed(cursor);
}

/** A word before a parenthesis: a form with a syntax of its own, or a call. */
function parseCallForm(cursor: Cursor): Expression {
  const { keyword } = cursor.token;
  if (isShortestPath(cursor)) return parsePatternExpression(cursor);
  const textForm = parseTextForm(cursor);
  if (textForm !== undefined) return textForm;
  if (keyword in QUANTIFIERS && cursor.isName(2) && cursor.isKeyword('IN', 3)) return parseQuantifier(cursor);
  if (keyword === 'REDUCE' && cursor.isName(2) && cursor.isSymbol('=', 3)) return parseReduce(cursor);
  return parseNamed(cursor);
}

/** Not a variable of that name. */
function isCase(cursor: Cursor): boolean {
  const next = cursor.peek();
  return (
    next.kind !== 'end' && (next.kind !== 'symbol' || ['(', '[', '{', '-', '+', '$'].includes(next.text))
  );
}

/** A variable, a call `a.b.c(…)`, or a map projection. */
function parseNamed(cursor: Cursor): Expression {
  const length = callNameLength(cursor);
  if (length !== undefined) return parseCall(cursor, length);
  const { text, span } = cursor.expectName('an expression');
  const variable: VariableExpression = { kind: 'variable', name: text, span };
  return cursor.isSymbol('{') ? parseProjection(cursor, variable) : variable;
}

/** Number of tokens of the name when a call begins here. */
function callNameLength(cursor: Cursor): number | undefined {
  let length = 1;
  while (cursor.isSymbol('.', length) && cursor.isName(length + 1)) length += 2;
  return cursor.isSymbol('(', length) ? length : undefined;
}

function parseCall(cursor: Cursor, length: number): CallExpression {
  const start = cursor.token;
  const parts: string[] = [];
  for (let index = 0; index < length; index++) parts.push(cursor.advance().text);
  cursor.expectSymbol('(');
  const isDistinct =
    cursor.isKeyword('DISTINCT') && !cursor.isSymbol(')', 1) && cursor.acceptPhrase('DISTINCT');
  const isStar = cursor.isSymbol('*') && cursor.isSymbol(')', 1) && cursor.acceptSymbol('*');
  const args = isStar ? '*' : cursor.reservingBar(false, () => parseArguments(cursor));
  cursor.expectSymbol(')');
  return { kind: 'call', name: parts.join(''), isDistinct, args, span: cursor.spanFrom(start) };
}

export function parseArguments(cursor: Cursor): readonly Expression[] {
  return cursor.isSymbol(')') ? [] : cursor.list(() => cursor.expression());
}

function parseProjection(cursor: Cursor, variable: VariableExpression): MapProjection {
  const entries: MapEntry[] = [];
  let hasAll = false;
  cursor.expectSymbol('{');
  const parseItem = (): void => {
    if (!cursor.acceptSymbol('.')) entries.push(parseProjected(cursor));
    else if (cursor.acceptSymbol('*')) hasAll = true;
    else {
      const { text: key, span } = cursor.expectName('the name of a property');
      entries.push({ key, value: { kind: 'property', subject: variable, key, span } });
    }
  };
  if (!cursor.isSymbol('}')) cursor.nested(() => cursor.reservingBar(false, () => cursor.list(parseItem)));
  cursor.expectSymbol('}');
  return { kind: 'projection', variable, hasAll, entries, span: cursor.spanFrom(variable.span) };
}

/** `key: value`, or a variable, which is its own key. */
function parseProjected(cursor: Cursor): MapEntry {
  const { text: key, span } = cursor.expectName('a key');
  if (cursor.acceptSymbol(':')) return { key, value: cursor.expression() };
  return { key, value: { kind: 'variable', name: key, span } };
}

function parseSubqueryExpression(cursor: Cursor, form: SubqueryExpression['form']): SubqueryExpression {
  const start = cursor.advance();
  const query = cursor.reservingBar(false, () => parseSubquery(cursor));
  return { kind: 'subquery', form, query, span: cursor.spanFrom(start) };
}

/** `{ query }`, or `{ pattern [WHERE condition] }`, which is short for a MATCH of it. */
function parseSubquery(cursor: Cursor): Query {
  cursor.expectSymbol('{');
  const isPattern = cursor.isSymbol('(') || (cursor.isName() && cursor.isSymbol('=', 1));
  const query =
    isPattern || isShortestPath(cursor) || isSelector(cursor) ? parseShortMatch(cursor) : cursor.query();
  cursor.expectSymbol('}');
  return query;
}

function isShortestPath(cursor: Cursor): boolean {
  return cursor.isKeyword('SHORTESTPATH') || cursor.isKeyword('ALLSHORTESTPATHS');
}

function parseShortMatch(cursor: Cursor): Query {
  const start = cursor.token;
  const patterns = cursor.list(() => parseSelectedPath(cursor));
  const where = cursor.acceptPhrase('WHERE') ? cursor.expression() : undefined;
  const span = cursor.spanFrom(start);
  return { parts: [[{ kind: 'match', isOptional: false, patterns, where, span }]], unions: [], span };
}
