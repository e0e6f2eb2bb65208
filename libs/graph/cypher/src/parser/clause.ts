/** The clauses of a query. */
import type {
  CallClause,
  Clause,
  DeleteClause,
  Expression,
  ForeachClause,
  MatchClause,
  MergeClause,
  LabelsItem,
  PropertyTarget,
  RemoveItem,
  SetItem,
  SubqueryClause,
  TransactionsOf,
  UnwindClause,
  YieldItem,
} from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { parseArguments } from './atom.ts';
import type { Cursor } from './cursor.ts';
import { parsePlainLabels } from './labels.ts';
import { parsePathPattern, parseSelectedPath } from './pattern.ts';
import { parseProjection } from './projection.ts';
import { refuseLoad } from './refused.ts';

const PARSERS: Readonly<Record<string, (cursor: Cursor) => Clause>> = {
  MATCH: parseMatch,
  OPTIONAL: (cursor) => (cursor.isKeyword('CALL', 1) ? parseCallForm(cursor) : parseMatch(cursor)),
  UNWIND: parseUnwind,
  WITH: parseProjection,
  RETURN: parseProjection,
  CREATE: (cursor) => {
    const start = cursor.advance();
    const patterns = cursor.list(() => parsePathPattern(cursor));
    return { kind: 'create', patterns, span: cursor.spanFrom(start) };
  },
  MERGE: parseMerge,
  SET: (cursor) => {
    const start = cursor.advance();
    return { kind: 'set', items: cursor.list(() => parseSetItem(cursor)), span: cursor.spanFrom(start) };
  },
  REMOVE: (cursor) => {
    const start = cursor.advance();
    return {
      kind: 'remove',
      items: cursor.list(() => parseRemoveItem(cursor)),
      span: cursor.spanFrom(start),
    };
  },
  DELETE: parseDelete,
  DETACH: parseDelete,
  NODETACH: parseDelete,
  FOREACH: parseForeach,
  CALL: parseCallForm,
  LOAD: refuseLoad,
  FINISH: (cursor) => {
    const start = cursor.advance();
    return { kind: 'finish', span: cursor.spanFrom(start) };
  },
};

/** Whether a clause begins here. */
export function isClauseStart(cursor: Cursor): boolean {
  return cursor.token.keyword in PARSERS;
}

export function parseClause(cursor: Cursor): Clause {
  const parse = PARSERS[cursor.token.keyword];
  if (parse === undefined) throw cursor.fault('a clause such as MATCH or RETURN');
  return parse(cursor);
}

function parseMatch(cursor: Cursor): MatchClause {
  const start = cursor.token;
  const isOptional = cursor.acceptPhrase('OPTIONAL');
  cursor.expectKeyword('MATCH');
  const patterns = cursor.list(() => parseSelectedPath(cursor));
  while (cursor.acceptPhrase('USING')) skipHint(cursor);
  const where = cursor.acceptPhrase('WHERE') ? cursor.expression() : undefined;
  return { kind: 'match', isOptional, patterns, where, span: cursor.spanFrom(start) };
}

/** `USING INDEX n:Label(key)`, `USING SCAN n:Label`, `USING JOIN ON n`: advice that this planner ignores. */
function skipHint(cursor: Cursor): void {
  while (
    !cursor.isEnd &&
    !isClauseStart(cursor) &&
    !cursor.isKeyword('WHERE') &&
    !cursor.isKeyword('USING')
  ) {
    cursor.advance();
  }
}

function parseUnwind(cursor: Cursor): UnwindClause {
  const start = cursor.advance();
  const list = cursor.expression();
  cursor.expectKeyword('AS');
  const variable = cursor.expectName('a variable');
  return { kind: 'unwind', list, variable, span: cursor.spanFrom(start) };
}

function parseMerge(cursor: Cursor): MergeClause {
  const start = cursor.advance();
  const pattern = parsePathPattern(cursor);
  const onCreate: SetItem[] = [];
  const onMatch: SetItem[] = [];
  while (cursor.acceptPhrase('ON')) {
    const items = cursor.acceptPhrase('CREATE') ? onCreate : onMatch;
    if (items === onMatch) cursor.expectKeyword('MATCH');
    cursor.expectKeyword('SET');
    for (const item of cursor.list(() => parseSetItem(cursor))) items.push(item);
  }
  return { kind: 'merge', pattern, onCreate, onMatch, span: cursor.spanFrom(start) };
}

function parseSetItem(cursor: Cursor): SetItem {
  const start = cursor.token;
  if (cursor.isName() && cursor.isSymbol(':', 1)) return parseLabelItem(cursor);
  if (cursor.isName() && (cursor.isSymbol('=', 1) || cursor.isSymbol('+=', 1))) {
    const variable = cursor.expectName('a variable');
    const kind = cursor.advance().text === '=' ? 'replace' : 'add';
    const value = cursor.expression();
    return { kind, variable, value, span: cursor.spanFrom(start) };
  }
  const target = parseTarget(cursor);
  cursor.expectSymbol('=');
  const value = cursor.expression();
  return { kind: 'property', target, value, span: cursor.spanFrom(start) };
}

function parseRemoveItem(cursor: Cursor): RemoveItem {
  if (cursor.isName() && cursor.isSymbol(':', 1)) return parseLabelItem(cursor);
  const target = parseTarget(cursor);
  return { kind: 'property', target, span: target.span };
}

function parseLabelItem(cursor: Cursor): LabelsItem {
  const start = cursor.token;
  const variable = cursor.expectName('a variable');
  const labels = parsePlainLabels(cursor);
  return { kind: 'labels', variable, labels, span: cursor.spanFrom(start) };
}

/** `n.key` or `n[key]`, or `(expression).key`. */
function parseTarget(cursor: Cursor): PropertyTarget {
  const start = cursor.token;
  let subject = cursor.acceptSymbol('(') ? parseParenthesized(cursor) : parseVariable(cursor);
  let target: PropertyTarget | undefined;
  for (let length = 1; target === undefined || cursor.isSymbol('.') || cursor.isSymbol('['); length++) {
    cursor.refuseLongChain(length);
    target = parseAccess(cursor, start, subject);
    subject = target;
  }
  return target;
}

function parseAccess(cursor: Cursor, start: Cursor['token'], subject: Expression): PropertyTarget {
  if (cursor.acceptSymbol('[')) {
    const index = cursor.reservingBar(false, () => cursor.expression());
    cursor.expectSymbol(']');
    return { kind: 'index', subject, index, span: cursor.spanFrom(start) };
  }
  cursor.expectSymbol('.');
  const { text } = cursor.expectName('the name of a property');
  return { kind: 'property', subject, key: text, span: cursor.spanFrom(start) };
}

function parseParenthesized(cursor: Cursor): Expression {
  const inner = cursor.expression();
  cursor.expectSymbol(')');
  return inner;
}

function parseVariable(cursor: Cursor): Expression {
  const { text, span } = cursor.expectName('a variable');
  return { kind: 'variable', name: text, span };
}

function parseDelete(cursor: Cursor): DeleteClause {
  const start = cursor.token;
  const isDetach = cursor.acceptPhrase('DETACH');
  if (!isDetach) cursor.acceptPhrase('NODETACH');
  cursor.expectKeyword('DELETE');
  const targets = cursor.list(() => cursor.expression());
  return { kind: 'delete', isDetach, targets, span: cursor.spanFrom(start) };
}

/** Each clause pulls its rows from the one before it, so that their number is a depth. */
const CLAUSES_MAX = 1_000;

/** Before one more clause of a query, or of FOREACH. */
export function refuseTooManyClauses(cursor: Cursor, { length }: readonly Clause[]): void {
  if (length < CLAUSES_MAX) return;
  const message = `a query, and FOREACH, has at most ${CLAUSES_MAX} clauses`;
  throw new SyntaxFault('StatementTooLong', cursor.token, message, {
    hint: 'one CREATE takes many patterns, one SET many properties',
  });
}

const UPDATES: ReadonlySet<string> = new Set(['set', 'remove', 'create', 'merge', 'delete', 'foreach']);

function parseForeach(cursor: Cursor): ForeachClause {
  const start = cursor.advance();
  cursor.expectSymbol('(');
  const variable = cursor.expectName('a variable');
  cursor.expectKeyword('IN');
  const list = cursor.reservingBar(true, () => cursor.expression());
  cursor.expectSymbol('|');
  const updates = cursor.reservingBar(false, () => cursor.nested(() => parseUpdates(cursor)));
  cursor.expectSymbol(')');
  return { kind: 'foreach', variable, list, updates, span: cursor.spanFrom(start) };
}

function parseUpdates(cursor: Cursor): readonly Clause[] {
  const updates: Clause[] = [];
  while (!cursor.isSymbol(')')) {
    refuseTooManyClauses(cursor, updates);
    const clause = parseClause(cursor);
    if (!UPDATES.has(clause.kind)) {
      throw new SyntaxFault('InvalidClauseComposition', clause.span, 'FOREACH holds updating clauses only');
    }
    updates.push(clause);
  }
  if (updates.length === 0) throw cursor.fault('an updating clause');
  return updates;
}

function parseCallForm(cursor: Cursor): CallClause | SubqueryClause {
  const start = cursor.token;
  const isOptional = cursor.acceptPhrase('OPTIONAL');
  cursor.expectKeyword('CALL');
  if (cursor.isSymbol('{') || cursor.isSymbol('(')) return parseSubqueryCall(cursor, start, isOptional);
  const procedure = parseProcedureName(cursor);
  const args = cursor.acceptSymbol('(') ? parseArguments(cursor) : undefined;
  if (args !== undefined) cursor.expectSymbol(')');
  const yields = cursor.acceptPhrase('YIELD') ? parseYields(cursor) : undefined;
  const where = yields !== undefined && cursor.acceptPhrase('WHERE') ? cursor.expression() : undefined;
  return { kind: 'call', isOptional, procedure, args, yields, where, span: cursor.spanFrom(start) };
}

function parseProcedureName(cursor: Cursor): CallClause['procedure'] {
  const start = cursor.token;
  let { text } = cursor.expectName('the name of a procedure');
  while (cursor.acceptSymbol('.')) text += `.${cursor.expectName('the name of a procedure').text}`;
  return { text, span: cursor.spanFrom(start) };
}

function parseYields(cursor: Cursor): readonly YieldItem[] | '*' {
  if (cursor.acceptSymbol('*')) return '*';
  return cursor.list(() => {
    const field = cursor.expectName('a field of the procedure');
    return { field, variable: cursor.acceptPhrase('AS') ? cursor.expectName('a variable') : field };
  });
}

function parseSubqueryCall(cursor: Cursor, start: Cursor['token'], isOptional: boolean): SubqueryClause {
  const imports = cursor.acceptSymbol('(') ? parseImports(cursor) : undefined;
  cursor.expectSymbol('{');
  const query = cursor.query();
  cursor.expectSymbol('}');
  const transactions = cursor.acceptPhrase('IN') ? parseTransactions(cursor) : undefined;
  return { kind: 'subquery', isOptional, imports, query, transactions, span: cursor.spanFrom(start) };
}

function parseImports(cursor: Cursor): SubqueryClause['imports'] {
  const isAll = cursor.acceptSymbol('*');
  const names = isAll || cursor.isSymbol(')') ? [] : cursor.list(() => cursor.expectName('a variable'));
  cursor.expectSymbol(')');
  return isAll ? '*' : names;
}

/** `4 CONCURRENT` is an upper bound: one at a time is within it. */
function parseTransactions(cursor: Cursor): TransactionsOf {
  if (!cursor.isKeyword('TRANSACTIONS')) {
    if (!cursor.isKeyword('CONCURRENT')) cursor.expression();
    cursor.expectKeyword('CONCURRENT');
  }
  cursor.expectKeyword('TRANSACTIONS');
  const rows = parseRowsOf(cursor);
  const onError = parseOnError(cursor);
  const start = cursor.token;
  if (!cursor.acceptPhrase('REPORT', 'STATUS', 'AS')) return { rows, onError, status: undefined };
  const status = cursor.expectName('a variable');
  if (onError !== 'fail') return { rows, onError, status };
  const message = 'REPORT STATUS needs ON ERROR CONTINUE or ON ERROR BREAK';
  throw new SyntaxFault('InvalidClauseComposition', cursor.spanFrom(start), message);
}

function parseOnError(cursor: Cursor): TransactionsOf['onError'] {
  if (!cursor.acceptPhrase('ON', 'ERROR')) return 'fail';
  if (cursor.acceptPhrase('CONTINUE')) return 'continue';
  if (cursor.acceptPhrase('BREAK')) return 'break';
  if (cursor.acceptPhrase('FAIL')) return 'fail';
  throw cursor.fault('CONTINUE, BREAK or FAIL');
}

function parseRowsOf(cursor: Cursor): Expression | undefined {
  if (!cursor.acceptPhrase('OF')) return undefined;
  const rows = cursor.expression();
  if (!cursor.acceptPhrase('ROWS')) cursor.expectKeyword('ROW');
  return rows;
}
