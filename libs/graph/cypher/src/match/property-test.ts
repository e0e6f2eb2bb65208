/** Conditions on one property of one node against constants, as tests of a value that an index may answer. */
import type { GraphReader } from '#graph/execution';
import {
  fieldOfProperty,
  type FieldValue,
  type Filter,
  type Scalar,
  type ValueRange,
  type ValueTest,
} from '#graph/model';
import { isOneOf } from '#platform/foundation';
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import { allParts } from '../expression/parts.ts';
import type { Evaluate, Run } from '../graph/run.ts';
import { isRecordField } from '../graph/snapshot-graph.ts';
import { valueOf } from '../graph/stored-kinds.ts';
import type { Expression, PropertyExpression } from '../syntax/ast.ts';
import { equal } from '../value/equality.ts';
import { isList, type Value } from '../value/value.ts';

export interface PropertyTest {
  readonly key: string;
  /** Whether it is true of a value, which is the only one in the row. */
  readonly evaluate: Evaluate;
  /** Values of which `n.key` has to equal one; undefined for other conditions. */
  readonly equals: ((run: Run) => readonly Value[] | undefined) | undefined;
  /** `n.key < value` and so on. */
  readonly bound: { readonly operator: string; readonly value: Evaluate } | undefined;
  /** Parameters that must be lists. */
  readonly lists: readonly Evaluate[];
  /** Names of all parameters. */
  readonly parameters: readonly string[];
  /** Parts of the condition: what it takes to test a value grows with them. */
  readonly size: number;
}

/** `n.key = value` with a constant; undefined for another value. */
export function equalityTest(key: string, value: Expression, parts: CompilerParts): PropertyTest | undefined {
  if (!isConstant(value)) return undefined;
  const constant = new ExpressionCompiler(parts).compile(value);
  return {
    key,
    evaluate: (row, run) => equal(row[0] ?? null, constant(row, run)),
    equals: (run) => [constant([], run)],
    bound: undefined,
    lists: [],
    parameters: value.kind === 'parameter' ? [value.name] : [],
    size: 1,
  };
}

/** A condition with the name of the node that it is on; undefined for what is none of this kind. */
export function propertyTest(
  condition: Expression,
  parts: CompilerParts,
): { readonly variable: string; readonly test: PropertyTest } | undefined {
  const all = [...allParts(condition)];
  if (!isPredicate(condition) || !all.every(isFit)) return undefined;
  const properties = all.filter((part) => part.kind === 'property');
  const [first] = properties;
  if (first?.subject.kind !== 'variable' || !properties.every((each) => isSame(each, first)))
    return undefined;
  const known = (part: Expression): Evaluate | undefined =>
    part.kind === 'property' && isSame(part, first) ? (row) => row[0] ?? null : undefined;
  const { evaluate } = new ExpressionCompiler({ ...parts, known }).condition(condition);
  const constants = new ExpressionCompiler(parts);
  const lists = all.flatMap((part) =>
    part.kind === 'binary' && part.operator === 'in' && part.right.kind === 'parameter'
      ? [constants.compile(part.right)]
      : [],
  );
  const { key } = first;
  const test = {
    key,
    evaluate,
    lists,
    parameters: all.flatMap((part) => (part.kind === 'parameter' ? [part.name] : [])),
    equals: equalsOf(condition, constants),
    bound: boundOf(condition, constants),
    size: all.length,
  };
  return { variable: first.subject.name, test };
}

/** Whether the store tests it as Cypher does: no node has a kind of the property. */
export function isOfStore(test: PropertyTest, { reader, run }: TestGround): boolean {
  return isKeyOfStore(test, reader) && hasLists(test, run);
}

/** The part of it that holds for all runs over the same data. */
export function isKeyOfStore({ key }: PropertyTest, reader: GraphReader): boolean {
  return !isRecordField(key) && !reader.hasKinds(key);
}

/** Whether what must be a list is one. */
export function hasLists({ lists }: PropertyTest, run: Run): boolean {
  if (lists.length === 0) return true;
  return lists.every((list) => {
    const value = list([], run);
    return value === null || isList(value);
  });
}

/** What tests are asked of, and the values of their constants. */
export interface TestGround {
  readonly reader: GraphReader;
  readonly run: Run;
  /** What {@link mayBeList} has told of the same data. */
  readonly mayBeList?: ((test: PropertyTest) => boolean) | undefined;
}

const LOGIC: ReadonlySet<string> = new Set(['and', 'or']);
const TESTS: ReadonlySet<string> = new Set(['in', 'starts with', 'ends with', 'contains']);

function isPredicate(part: Expression): boolean {
  if (part.kind === 'binary') return LOGIC.has(part.operator) || TESTS.has(part.operator);
  return (
    part.kind === 'comparison' ||
    part.kind === 'null-test' ||
    (part.kind === 'unary' && part.operator === 'not')
  );
}

/** Whether a part stands where it cannot fail, whatever the value is. */
function isFit(part: Expression): boolean {
  switch (part.kind) {
    case 'comparison':
      return [part.first, ...part.rest.map(({ operand }) => operand)].every(isOperand);
    case 'null-test':
      return part.operand.kind === 'property';
    case 'unary':
      return part.operator === 'not' && isPredicate(part.operand);
    case 'binary':
      if (LOGIC.has(part.operator)) return isPredicate(part.left) && isPredicate(part.right);
      return TESTS.has(part.operator) && part.left.kind === 'property' && isTestValue(part.right);
    default:
      return isOperand(part) || part.kind === 'variable' || part.kind === 'list';
  }
}

/** Of literals and parameters alone. */
export function isTestValue(value: Expression): boolean {
  return isConstant(value) || (value.kind === 'list' && value.items.every(isConstant));
}

function isOperand(part: Expression): boolean {
  return isConstant(part) || (part.kind === 'property' && part.subject.kind === 'variable');
}

function isConstant(part: Expression): boolean {
  return part.kind === 'literal' || part.kind === 'parameter';
}

function isSame(one: PropertyExpression, other: PropertyExpression): boolean {
  if (one.subject.kind !== 'variable' || other.subject.kind !== 'variable') return false;
  return one.key === other.key && one.subject.name === other.subject.name;
}

function equalsOf(condition: Expression, constants: ExpressionCompiler): PropertyTest['equals'] {
  if (condition.kind === 'binary' && condition.operator === 'in') {
    const list = constants.compile(condition.right);
    return (run) => {
      const values = list([], run);
      return isList(values) ? values : undefined;
    };
  }
  const compared = comparisonOf(condition);
  if (compared?.operator !== '=') return undefined;
  const constant = constants.compile(compared.value);
  return (run) => [constant([], run)];
}

const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' };

/** `n.key operator value`, whichever side the property stands on. */
function comparisonOf(
  condition: Expression,
): { readonly operator: string | undefined; readonly value: Expression } | undefined {
  if (condition.kind !== 'comparison' || condition.rest.length !== 1) return undefined;
  const { first, rest } = condition;
  const [test] = rest;
  if (test === undefined) return undefined;
  if (isConstant(test.operand)) return { operator: test.operator, value: test.operand };
  return isConstant(first) ? { operator: MIRRORED[test.operator], value: first } : undefined;
}

function boundOf(condition: Expression, constants: ExpressionCompiler): PropertyTest['bound'] {
  const compared = comparisonOf(condition);
  if (compared?.operator === undefined || !/^[<>]/.test(compared.operator) || compared.operator === '<>')
    return undefined;
  return { operator: compared.operator, value: constants.compile(compared.value) };
}

/** Tests that are filters of their own. */
const TESTS_MAX = 64;
/** Parts of a condition whose test takes the time of a step. */
const PARTS_PER_STEP = 512;

/** All tests of a node as a filter of the store; undefined where there are none. */
export function filterOfTests(
  tests: readonly PropertyTest[],
  names: readonly string[] | '*',
  ground: TestGround,
): Filter | undefined {
  const items = (tests.length > TESTS_MAX ? byProperty(tests) : tests).map((test) =>
    filterOfTest(test, names, ground),
  );
  return items.length > 1 ? { kind: 'and', items } : items[0];
}

/** Those that no index answers are one for each property: the filters are ranked before they are applied. */
function byProperty(tests: readonly PropertyTest[]): readonly PropertyTest[] {
  const isIndexed = ({ equals, bound }: PropertyTest): boolean => equals !== undefined || bound !== undefined;
  const others = Map.groupBy(
    tests.filter((test) => !isIndexed(test)),
    ({ key }) => key,
  );
  return [...tests.filter(isIndexed), ...[...others].map(([key, each]) => jointly(key, each))];
}

function jointly(key: string, tests: readonly PropertyTest[]): PropertyTest {
  return {
    key,
    evaluate: (row, run) => tests.every(({ evaluate }) => evaluate(row, run) === true),
    equals: undefined,
    bound: undefined,
    lists: tests.flatMap(({ lists }) => lists),
    parameters: tests.flatMap(({ parameters }) => parameters),
    size: tests.reduce((sum, { size }) => sum + size, 0),
  };
}

/** The test as a filter of the store, where no node has a kind of the property. */
function filterOfTest(
  test: PropertyTest,
  names: readonly string[] | '*',
  { reader, run, mayBeList: known }: TestGround,
): Filter {
  const { key, evaluate, bound } = test;
  const field = fieldOfProperty(key);
  const matches = (value: FieldValue): boolean => evaluate([valueOf(value, undefined)], run) === true;
  const wanted = wantedScalars(test, run);
  if (wanted !== undefined) {
    if (!(known?.(test) ?? mayBeList(test, names, reader)))
      return { kind: 'test', field, test: scalarTest(wanted) };
    // An index finds lists with one of the values too.
    const isWanted = (value: FieldValue): boolean => isOneOf(wanted, value);
    const wide = {
      equals: wanted,
      matches: (value: FieldValue): boolean =>
        Array.isArray(value) ? value.some(isWanted) : isWanted(value),
    };
    return {
      kind: 'and',
      items: [
        { kind: 'test', field, test: wide },
        { kind: 'test', field, test: { matches } },
      ],
    };
  }
  const range = bound && rangeOf(bound.operator, bound.value([], run));
  if (range !== undefined) return { kind: 'test', field, test: { matches, range } };
  return { kind: 'test', field, test: test.size > PARTS_PER_STEP ? inSteps(matches) : { matches } };
}

/** Others have turns between two values. */
function inSteps(matches: ValueTest['matches']): ValueTest {
  return {
    matches,
    *steps(value) {
      yield;
      return matches(value);
    },
  };
}

/** The values of which the property has to equal one; undefined where an index does not know them. */
export function wantedScalars({ equals }: PropertyTest, run: Run): readonly Scalar[] | undefined {
  const scalars = equals?.(run)?.map(scalarOf);
  return scalars?.every((scalar) => scalar !== undefined) === true
    ? scalars.filter((scalar) => scalar !== null)
    : undefined;
}

/** Where no value is a list. It holds nothing of a run, and so may be kept. */
function scalarTest(wanted: readonly Scalar[]): ValueTest {
  return { matches: (value) => isOneOf(wanted, value), equals: wanted };
}

/** Whether some node may have a list. */
export function mayBeList(
  { key }: PropertyTest,
  names: readonly string[] | '*',
  reader: GraphReader,
): boolean {
  return reader.valueKinds(names, fieldOfProperty(key)).some((kind) => kind.endsWith('[]'));
}

function rangeOf(operator: string, value: Value): ValueRange | undefined {
  const limit = scalarOf(value);
  if (typeof limit !== 'number' || Number.isNaN(limit)) return undefined;
  const isIncluded = operator.endsWith('=');
  return operator.startsWith('<')
    ? { high: limit, lowIncluded: false, highIncluded: isIncluded }
    : { low: limit, lowIncluded: isIncluded, highIncluded: false };
}

/** Undefined for a number that the store may keep as text, and for what is no single value. */
function scalarOf(value: Value): Scalar | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'object') return undefined;
  // -0 is 0 to an index.
  const number = Number(value) + 0;
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}
