/**
 * The mutations of a source file: small changes of its text, one at a time, each of which a test should
 * detect. Excluded are assertions (they never fail), messages, types, and the points at which a long task
 * yields.
 *
 * A mutation is `{file, line, start, end, from, to, operator, context}`. `context` is the text of its line:
 * together with `from` and `to` it identifies the mutation when the lines above have changed.
 */
import ts from 'typescript';

const { SyntaxKind: Kind } = ts;

/** Replacements of an operator. */
const OPERATORS = new Map([
  [Kind.LessThanToken, '<='],
  [Kind.LessThanEqualsToken, '<'],
  [Kind.GreaterThanToken, '>='],
  [Kind.GreaterThanEqualsToken, '>'],
  [Kind.EqualsEqualsEqualsToken, '!=='],
  [Kind.ExclamationEqualsEqualsToken, '==='],
  [Kind.AmpersandAmpersandToken, '||'],
  [Kind.BarBarToken, '&&'],
  [Kind.QuestionQuestionToken, '&&'],
  [Kind.PlusToken, '-'],
  [Kind.MinusToken, '+'],
  [Kind.AsteriskToken, '/'],
  [Kind.SlashToken, '*'],
  [Kind.PercentToken, '*'],
  [Kind.LessThanLessThanToken, '>>'],
  [Kind.GreaterThanGreaterThanToken, '<<'],
  [Kind.GreaterThanGreaterThanGreaterThanToken, '<<'],
  [Kind.AmpersandToken, '|'],
  [Kind.BarToken, '&'],
  [Kind.PlusEqualsToken, '-='],
  [Kind.MinusEqualsToken, '+='],
  [Kind.QuestionQuestionEqualsToken, '='],
]);

/** Methods and functions that select, by their opposites. */
const METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['find', 'findLast'],
  ['push', 'unshift'],
  ['union', 'intersection'],
]);

/** Methods whose result has the type of their receiver, so that the call can be removed. */
const PASSING = new Set(['filter', 'slice', 'subarray', 'sort', 'toSorted', 'reverse', 'toReversed', 'trim']);
const PASSING_TEXT = new Set(['toLowerCase', 'toUpperCase', 'trimEnd', 'trimStart', 'concat']);

/** Calls with messages for people, whose text is not tested. */
const SPEAKING =
  /^(assert|unreachable|fail|warn|info|debug|error|trace|log)$|fault|error|refusal|message|describe/i;

const isYield = (statement) => /^\{?\s*yield;\s*\}?$/.test(statement.getText());

function nameOfCallee({ expression }) {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
}

/** Whether the subtree is excluded. */
function isLeftOut(node) {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isDecorator(node)) return true;
  if (ts.isThrowStatement(node)) return true;
  if (ts.isIfStatement(node) && isYield(node.thenStatement)) return true;
  return (ts.isCallExpression(node) || ts.isNewExpression(node)) && SPEAKING.test(nameOfCallee(node));
}

const isText = (node) => ts.isStringLiteral(node) || ts.isTemplateLiteral(node) || isJoined(node);
const isJoined = (node) =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind === Kind.PlusToken &&
  (isText(node.left) || isText(node.right));

function ofOperator(node) {
  const { operatorToken: token } = node;
  const to = OPERATORS.get(token.kind);
  if (to === undefined || (token.kind === Kind.PlusToken && isJoined(node))) return [];
  return [{ node: token, to, operator: 'operator' }];
}

function ofCondition(condition, values) {
  if (condition.kind === Kind.TrueKeyword || condition.kind === Kind.FalseKeyword) return [];
  return values.map((to) => ({ node: condition, to, operator: 'condition' }));
}

function ofCall(node) {
  const { expression: callee } = node;
  if (!ts.isPropertyAccessExpression(callee)) return [];
  const name = callee.name.text;
  const found = [];
  if (METHODS.has(name)) found.push({ node: callee.name, to: METHODS.get(name), operator: 'method' });
  if (PASSING.has(name) || PASSING_TEXT.has(name)) {
    found.push({ node, to: callee.expression.getText(), operator: 'call' });
  }
  return found;
}

function ofStatement({ expression }, node) {
  const inner =
    ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) ? expression.expression : expression;
  const isAssignment =
    ts.isBinaryExpression(inner) &&
    inner.operatorToken.kind >= Kind.FirstAssignment &&
    inner.operatorToken.kind <= Kind.LastAssignment;
  const isDone =
    ts.isCallExpression(inner) || ts.isDeleteExpression(inner) || isAssignment || isYieldOfCall(inner);
  if (!isDone || (ts.isCallExpression(inner) && (isSuper(inner) || SPEAKING.test(nameOfCallee(inner)))))
    return [];
  return [{ node, to: ';', operator: 'statement' }];
}

const isSuper = ({ expression }) => expression.kind === Kind.SuperKeyword;
const isYieldOfCall = (node) => ts.isYieldExpression(node) && node.expression !== undefined;

/** Module constants are mostly limits and sizes; those in functions are part of the computation. */
const isInFunction = (node) => ts.findAncestor(node, ts.isFunctionLike) !== undefined;

const isNameOfProperty = ({ parent }) => 'name' in parent && ts.isPropertyAssignment(parent) === false;

function ofNumber(node) {
  if (!isInFunction(node) || /n$/.test(node.text)) return [];
  if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return [];
  const value = Number(node.text);
  const isSigned = ts.isPrefixUnaryExpression(node.parent);
  return [
    { node, to: isSigned ? String(value + 1) : value === 0 ? '1' : String(value - 1), operator: 'number' },
  ];
}

function ofText(node) {
  const { parent } = node;
  if (!isInFunction(node) || isNameOfProperty(node)) return [];
  if (ts.isPropertyAssignment(parent) && parent.name === node) return [];
  return [{ node, to: node.text === '' ? "'mutated'" : "''", operator: 'text' }];
}

const ofLiteral = {
  [Kind.TrueKeyword]: (node) => [{ node, to: 'false', operator: 'boolean' }],
  [Kind.FalseKeyword]: (node) => [{ node, to: 'true', operator: 'boolean' }],
  [Kind.NumericLiteral]: ofNumber,
  [Kind.StringLiteral]: ofText,
  [Kind.QuestionDotToken]: (node) => [
    { node, to: ts.isPropertyAccessExpression(node.parent) ? '.' : '', operator: 'chain' },
  ],
};

const OF = {
  ...ofLiteral,
  [Kind.BinaryExpression]: ofOperator,
  [Kind.IfStatement]: ({ expression }) => ofCondition(expression, ['true', 'false']),
  [Kind.ConditionalExpression]: ({ condition }) => ofCondition(condition, ['true', 'false']),
  [Kind.WhileStatement]: ({ expression }) => ofCondition(expression, ['false']),
  [Kind.CallExpression]: ofCall,
  [Kind.ExpressionStatement]: (node) => ofStatement(node, node),
  [Kind.PrefixUnaryExpression]: (node) =>
    node.operator === Kind.ExclamationToken
      ? [{ node, to: node.operand.getText(), operator: 'negation' }]
      : [],
  [Kind.ReturnStatement]: ({ expression }) =>
    expression !== undefined && ts.isArrayLiteralExpression(expression) && expression.elements.length > 0
      ? [{ node: expression, to: '[]', operator: 'return' }]
      : [],
};

function* changesIn(node) {
  if (isLeftOut(node)) return;
  yield* OF[node.kind]?.(node) ?? [];
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* changesIn(child);
}

/** All mutations of a file, in the order of its text. */
export function mutationsOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  return Array.from(changesIn(source), ({ node, to, operator }) => {
    const start = node.getStart(source);
    const { line } = source.getLineAndCharacterOfPosition(start);
    const from = text.slice(start, node.end);
    return { file, line: line + 1, start, end: node.end, from, to, operator, context: lines[line].trim() };
  });
}

/** The text with the mutation applied. */
export function mutated(text, { start, end, to }) {
  return text.slice(0, start) + to + text.slice(end);
}
