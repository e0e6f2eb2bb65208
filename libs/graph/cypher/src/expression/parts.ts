import type { CaseTest, Expression, Query } from '../syntax/ast.ts';
import { dynamicNames } from './labels.ts';

/** The direct parts of an expression that are expressions of the same scope. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'property':
      return [expression.subject];
    case 'index':
      return [expression.subject, expression.index];
    case 'slice':
      return [expression.subject, expression.from, expression.to].filter((part) => part !== undefined);
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.map(({ value }) => value);
    case 'projection':
      return [expression.variable, ...expression.entries.map(({ value }) => value)];
    case 'unary':
    case 'null-test':
    case 'type-test':
    case 'normal-test':
      return [expression.operand];
    case 'label-test':
      return [expression.operand, ...dynamicNames(expression.labels)];
    case 'binary':
      return [expression.left, expression.right];
    case 'comparison':
      return [expression.first, ...expression.rest.map(({ operand }) => operand)];
    case 'call':
      return expression.args === '*' ? [] : expression.args;
    case 'case':
      return [
        ...(expression.subject === undefined ? [] : [expression.subject]),
        ...expression.branches.flatMap(({ tests, then }) => [...tests.flatMap(valuesOf), then]),
        ...(expression.otherwise === undefined ? [] : [expression.otherwise]),
      ];
    case 'list-comprehension':
    case 'quantifier':
      return [expression.list];
    case 'reduce':
      return [expression.initial, expression.list];
    default:
      return [];
  }
}

function valuesOf(test: CaseTest): readonly Expression[] {
  return test.kind === 'condition' || test.kind === 'operator' ? [test.value] : [];
}

/** The expression and all that it contains in its own scope, without recursion. */
export function* allParts(expression: Expression): Generator<Expression> {
  const waiting = [expression];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    for (const part of partsOf(next)) waiting.push(part);
  }
}

/** Every name that an expression mentions, in subqueries and patterns too. */
export function namesIn(expression: Expression): ReadonlySet<string> {
  return namesBelow(expression);
}

/** Of queries inside expressions: each is looked through once, not once for each query around it. */
const knownNames = new WeakMap<object, ReadonlySet<string>>();

function namesBelow(root: Expression | Query): ReadonlySet<string> {
  const names = new Set<string>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (next !== root && isQuery(next)) {
      for (const name of namesOfQuery(next)) names.add(name);
      continue;
    }
    const { kind, name, text } = next as { kind?: unknown; name?: unknown; text?: unknown };
    if (kind === 'variable' && typeof name === 'string') names.add(name);
    if (kind === undefined && typeof text === 'string') names.add(text);
    for (const part of Object.values(next as Readonly<Record<string, unknown>>)) waiting.push(part);
  }
  return names;
}

function namesOfQuery(query: Query): ReadonlySet<string> {
  const names = knownNames.get(query) ?? namesBelow(query);
  knownNames.set(query, names);
  return names;
}

function isQuery(part: object): part is Query {
  return 'unions' in part;
}
