/**
 * What is known of an expression's values before a statement runs; `value` is anything. Null belongs to every
 * type.
 */
import { findAggregate } from '../function/aggregates.ts';
import type { BinaryExpression, Expression } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import type { Scope, VariableKind } from './scope.ts';

export function staticType(expression: Expression, scope: Scope): VariableKind {
  switch (expression.kind) {
    case 'literal':
      return LITERALS[typeof expression.value] ?? 'value';
    case 'variable':
      return scope.find(expression.name)?.kind ?? 'value';
    case 'list':
    case 'slice':
    case 'list-comprehension':
    case 'pattern-comprehension':
      return 'list';
    case 'map':
    case 'projection':
      return 'map';
    case 'comparison':
    case 'null-test':
    case 'label-test':
    case 'type-test':
    case 'normal-test':
    case 'quantifier':
      return 'boolean';
    case 'unary':
      return expression.operator === 'not' ? 'boolean' : staticType(expression.operand, scope);
    case 'binary':
      return ofBinary(expression, scope);
    case 'call':
      return CALLS.get(expression.name.toLowerCase()) ?? 'value';
    case 'pattern':
      return expression.pattern.shortest === undefined ? 'boolean' : 'value';
    case 'subquery':
      return { exists: 'boolean', count: 'integer', collect: 'list' }[expression.form] as VariableKind;
    default:
      return 'value';
  }
}

/** What is known of the elements of a list. */
export function staticItemType(list: Expression): VariableKind {
  if (list.kind !== 'list') return 'value';
  const [first, ...others] = new Set(list.items.map((item) => literalType(item)));
  return others.length === 0 ? (first ?? 'value') : 'value';
}

function literalType(expression: Expression): VariableKind {
  return expression.kind === 'literal' ? (LITERALS[typeof expression.value] ?? 'value') : 'value';
}

const LITERALS: Readonly<Record<string, VariableKind>> = {
  boolean: 'boolean',
  bigint: 'integer',
  number: 'float',
  string: 'string',
};

const CALLS: ReadonlyMap<string, VariableKind> = new Map(
  Object.entries({
    collect: 'list',
    labels: 'list',
    keys: 'list',
    nodes: 'list',
    relationships: 'list',
    range: 'list',
    count: 'integer',
    tostring: 'string',
    properties: 'map',
  } as const),
);

const TRUTHS: ReadonlySet<string> = new Set(['and', 'or', 'xor']);
const TESTS: ReadonlySet<string> = new Set(['in', '=~', 'starts with', 'ends with', 'contains']);

function ofBinary({ operator, left, right }: BinaryExpression, scope: Scope): VariableKind {
  if (TRUTHS.has(operator) || TESTS.has(operator)) return 'boolean';
  // The left side may be a chain of any length.
  if (left.kind === 'binary') return 'value';
  const types = new Set([staticType(left, scope), staticType(right, scope)]);
  if (operator === '^') return 'float';
  const [only = 'value'] = types;
  return types.size === 1 && (only === 'integer' || only === 'float') ? only : 'value';
}

/** Refuses an expression that cannot be a truth value where one is expected. */
export function refuseNonBoolean(expression: Expression, scope: Scope): void {
  refuseType(expression, staticType(expression, scope), ['boolean', 'value'], 'a Boolean');
}

/** Beside an operator that calculates. */
export function refuseNonNumeric(
  operator: BinaryExpression['operator'],
  operand: Expression,
  scope: Scope,
): void {
  if (!CALCULATING.has(operator) || operand.kind === 'binary') return;
  refuseType(
    operand,
    staticType(operand, scope),
    ['integer', 'float', 'value'],
    `a number or a temporal value beside ${operator}`,
  );
}

/** `+` joins texts and lists too. */
const CALCULATING: ReadonlySet<string> = new Set(['-', '*', '/', '%', '^']);

/** After IN. */
export function refuseNonList(expression: Expression, scope: Scope): void {
  refuseType(expression, staticType(expression, scope), ['list', 'links', 'value'], 'a List after IN');
}

/** Refuses an expression that cannot have properties before a property's name. */
export function refusePropertyless(subject: Expression, scope: Scope): void {
  refuseType(
    subject,
    staticType(subject, scope),
    ['node', 'link', 'map', 'value'],
    'a Node, a Relationship or a Map',
  );
}

const ARGUMENTS: ReadonlyMap<string, readonly VariableKind[]> = new Map(
  Object.entries({
    labels: ['node'],
    type: ['link'],
    length: ['path'],
    nodes: ['path'],
    relationships: ['path'],
    size: ['list', 'links', 'string'],
    tointeger: ['integer', 'float', 'string', 'boolean'],
    tofloat: ['integer', 'float', 'string'],
    toboolean: ['boolean', 'string', 'integer'],
    tostring: ['integer', 'float', 'string', 'boolean'],
    properties: ['node', 'link', 'map'],
    keys: ['node', 'link', 'map'],
  }),
);

/** The first argument of functions that take certain types only. */
export function refuseArgument(name: string, argument: Expression | undefined, scope: Scope): void {
  const accepted = ARGUMENTS.get(name.toLowerCase());
  if (accepted === undefined || argument === undefined || findAggregate(name) !== undefined) return;
  const what = accepted.map((kind) => KIND_NAMES[kind]).join(' or ');
  refuseType(argument, staticType(argument, scope), [...accepted, 'value'], `${what} in ${name}()`);
}

function refuseType(
  { span }: Expression,
  kind: VariableKind,
  accepted: readonly VariableKind[],
  expected: string,
): void {
  if (accepted.includes(kind)) return;
  throw new SyntaxFault('InvalidArgumentType', span, `expected ${expected}, got ${KIND_NAMES[kind]}`);
}

export const KIND_NAMES: Readonly<Record<VariableKind, string>> = {
  node: 'a Node',
  link: 'a Relationship',
  links: 'a List of Relationships',
  path: 'a Path',
  boolean: 'a Boolean',
  integer: 'an Integer',
  float: 'a Float',
  string: 'a String',
  list: 'a List',
  map: 'a Map',
  value: 'a value',
};
