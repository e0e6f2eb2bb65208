import { isOneOf } from '#platform/foundation';
import type { DynamicLabel, Expression, LabelExpression } from '../syntax/ast.ts';
import { typeFault } from '../value/arithmetic.ts';
import type { Truth } from '../value/equality.ts';
import { isList, LinkValue, NodeValue, typeName, type Value } from '../value/value.ts';
import type { Evaluate, Row, Run } from '../graph/run.ts';

/** What an element has. */
interface OwnLabels {
  readonly has: (label: string) => boolean;
  readonly hasOneOf: (labels: readonly string[]) => boolean;
  readonly hasAny: () => boolean;
}

/** Names of a dynamic label that are looked at in the time of a step. */
const NAMES_PER_STEP = 16;

type Test = (own: OwnLabels, row: Row, run: Run) => boolean;

/** Whether a node's labels, or a relationship's type, pass; null for null. */
export function compileLabels(
  labels: LabelExpression,
  compile: (names: Expression) => Evaluate,
): (value: Value, row: Row, run: Run) => Truth {
  const test = testOf(labels, compile);
  return (value, row, run) => (value === null ? null : test(ownLabels(value, run), row, run));
}

function ownLabels(value: Exclude<Value, null>, { graph }: Run): OwnLabels {
  if (value instanceof NodeValue) {
    const { node } = value;
    return {
      has: (label) => graph.hasLabel(node, label),
      hasOneOf: (labels) => graph.labels(node).some((label) => isOneOf(labels, label)),
      hasAny: () => graph.labels(node).length > 0,
    };
  }
  if (!(value instanceof LinkValue)) throw typeFault(`expected a Node before :, got ${typeName(value)}`);
  const type = graph.type(value.link);
  return {
    has: (label) => label === type,
    hasOneOf: (labels) => isOneOf(labels, type),
    hasAny: () => true,
  };
}

function testOf(labels: LabelExpression, compile: (names: Expression) => Evaluate): Test {
  switch (labels.kind) {
    case 'label':
      return ({ has }) => has(labels.name);
    case 'dynamic': {
      const names = compileNames(labels, compile);
      return ({ has, hasOneOf }, row, run) => {
        const wanted = names(row, run);
        run.tick(wanted.length / NAMES_PER_STEP);
        return labels.isAny ? hasOneOf(wanted) : wanted.every(has);
      };
    }
    case 'any':
      return ({ hasAny }) => hasAny();
    case 'not': {
      const test = testOf(labels.item, compile);
      return (own, row, run) => !test(own, row, run);
    }
    default:
      return testOfItems(labels, compile);
  }
}

/** Names that are tested one by one: more of them are looked for among the labels of the node. */
const FEW = 8;

/** One of many names decides an `A|B`, and one of many that are refused a `!A&!B`. */
function testOfItems(
  { kind, items }: Extract<LabelExpression, { readonly items: unknown }>,
  compile: (names: Expression) => Evaluate,
): Test {
  const isAll = kind === 'and';
  const decides = (item: LabelExpression): string | undefined => {
    const named = isAll && item.kind === 'not' ? item.item : isAll ? undefined : item;
    return named?.kind === 'label' ? named.name : undefined;
  };
  const names = items.flatMap((item) => decides(item) ?? []);
  const isMany = names.length > FEW;
  const others = isMany ? items.filter((item) => decides(item) === undefined) : items;
  const tests = others.map((item) => testOf(item, compile));
  return (own, row, run) => {
    if (isMany && own.hasOneOf(names)) return !isAll;
    return tests[isAll ? 'every' : 'some']((test) => test(own, row, run));
  };
}

/** The names that a dynamic label stands for in a row. */
export function compileNames(
  { names }: DynamicLabel,
  compile: (names: Expression) => Evaluate,
): (row: Row, run: Run) => readonly string[] {
  const evaluate = compile(names);
  return (row, run) => namesOf(evaluate(row, run));
}

function namesOf(value: Value): readonly string[] {
  return (isList(value) ? value : [value]).map((name) => {
    if (typeof name === 'string') return name;
    throw typeFault(`expected a String, or a List of them, in $(…), got ${typeName(name)}`);
  });
}

/** The expressions of dynamic labels. */
export function dynamicNames(labels: LabelExpression): readonly Expression[] {
  switch (labels.kind) {
    case 'dynamic':
      return [labels.names];
    case 'not':
      return dynamicNames(labels.item);
    case 'and':
    case 'or':
      return labels.items.flatMap(dynamicNames);
    default:
      return [];
  }
}

/** The labels that a node certainly has where the expression holds. */
export function requiredLabels(labels: LabelExpression | undefined): readonly string[] {
  if (labels?.kind === 'label') return [labels.name];
  return labels?.kind === 'and' ? labels.items.flatMap(requiredLabels) : [];
}

/** All types that can pass, or `'*'` where the expression does not list them. */
export function possibleTypes(labels: LabelExpression | undefined): readonly string[] | '*' {
  if (labels?.kind === 'label') return [labels.name];
  if (labels?.kind !== 'or') return '*';
  const each = labels.items.map(possibleTypes);
  return each.includes('*') ? '*' : [...new Set(each.flat())];
}
