/** Expressions, read off the tree for one row. */
import type {
  CallExpression,
  CaseExpression,
  CaseTest,
  Expression,
  MapProjection,
  QuantifierExpression,
  Query,
} from '../../src/syntax/ast.ts';
import { calculated, plainFunction } from './plain-function.ts';
import { hasLabels, type PlainGraph, PlainMatcher } from './plain-match.ts';
import {
  allOf,
  anyOf,
  truthIn,
  compared,
  type Environment,
  isPlainList,
  isPlainMap,
  notOf,
  type Plain,
  plainEqual,
  PlainFault,
  PlainLink,
  PlainNode,
  type Truth,
} from './plain-value.ts';

/** Runs the query inside EXISTS, COUNT or COLLECT. */
export type RunSubquery = (query: Query, environment: Environment) => readonly Environment[];

export class PlainEvaluator {
  readonly matcher: PlainMatcher;
  readonly #run: RunSubquery;

  constructor(graph: PlainGraph, run: RunSubquery) {
    this.matcher = new PlainMatcher(graph, this);
    this.#run = run;
  }

  truth(expression: Expression, environment: Environment): Truth {
    return truthIn(this.value(expression, environment));
  }

  value(expression: Expression, environment: Environment): Plain {
    const of = (part: Expression): Plain => this.value(part, environment);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'variable': {
        const value = environment.get(expression.name);
        if (value === undefined) throw new Error(`the variable ${expression.name} has no value`);
        return value;
      }
      case 'property':
        return propertyOf(of(expression.subject), expression.key);
      case 'index':
        return elementOf(of(expression.subject), of(expression.index));
      case 'slice':
        return sliceOf(
          of(expression.subject),
          expression.from && of(expression.from),
          expression.to && of(expression.to),
        );
      case 'list':
        return expression.items.map(of);
      case 'map':
        return new Map(expression.entries.map(({ key, value }) => [key, of(value)]));
      case 'projection':
        return this.#projection(expression, of);
      case 'unary':
        return expression.operator === 'not'
          ? notOf(truthIn(of(expression.operand)))
          : calculated(expression.operator, 0n, of(expression.operand));
      case 'null-test':
        return (of(expression.operand) === null) !== expression.isNegated;
      default:
        return this.#test(expression, environment);
    }
  }

  #projection({ variable, hasAll, entries }: MapProjection, of: (part: Expression) => Plain): Plain {
    const subject = of(variable);
    if (subject === null) return null;
    const own = subject instanceof PlainNode || subject instanceof PlainLink ? subject.properties : subject;
    if (!isPlainMap(own)) throw new PlainFault('no map');
    return new Map([...(hasAll ? own : []), ...entries.map(({ key, value }) => [key, of(value)] as const)]);
  }

  #test(expression: Expression, environment: Environment): Plain {
    const of = (part: Expression): Plain => this.value(part, environment);
    switch (expression.kind) {
      case 'binary':
        return binary(expression.operator, of(expression.left), of(expression.right));
      case 'comparison': {
        const values = [expression.first, ...expression.rest.map(({ operand }) => operand)].map(of);
        return allOf(
          expression.rest.map(({ operator }, at) =>
            comparison(operator, values[at] ?? null, values[at + 1] ?? null),
          ),
        );
      }
      case 'label-test': {
        const element = of(expression.operand);
        if (element === null) return null;
        if (element instanceof PlainNode) return hasLabels(element.labels, expression.labels);
        if (element instanceof PlainLink) return hasLabels([element.type], expression.labels);
        throw new PlainFault('no element');
      }
      case 'case':
        return this.#case(expression, of);
      case 'call':
        return this.#call(expression, of);
      default:
        return this.#form(expression, environment);
    }
  }

  #case({ subject, branches, otherwise }: CaseExpression, of: (part: Expression) => Plain): Plain {
    const value = subject && of(subject);
    const passes = (test: CaseTest): boolean => {
      switch (test.kind) {
        case 'condition':
          return truthIn(of(test.value)) === true;
        case 'operator':
          return tested(test.operator, value ?? null, of(test.value)) === true;
        case 'null':
          return (value === null) !== test.isNegated;
        default:
          throw new Error(`the interpreter has no WHEN of ${test.kind}`);
      }
    };
    const found = branches.find(({ tests }) => tests.some(passes));
    const chosen = found?.then ?? otherwise;
    return chosen === undefined ? null : of(chosen);
  }

  #call({ name, args }: CallExpression, of: (part: Expression) => Plain): Plain {
    if (args === '*') throw new Error('an aggregate outside of a projection');
    return plainFunction(name.toLowerCase(), args.map(of));
  }

  #form(expression: Expression, environment: Environment): Plain {
    const within = (name: string, value: Plain): Environment => new Map(environment).set(name, value);
    switch (expression.kind) {
      case 'list-comprehension': {
        const { variable, list, where, result } = expression;
        const rows = listOf(this.value(list, environment))?.map((item) => within(variable.text, item));
        const kept = rows?.filter((row) => where === undefined || this.truth(where, row) === true);
        return (
          kept?.map((row) => (result ? this.value(result, row) : (row.get(variable.text) ?? null))) ?? null
        );
      }
      case 'quantifier': {
        const { variable, list, where } = expression;
        const items = listOf(this.value(list, environment));
        const truths = items?.map((item) => this.truth(where, within(variable.text, item)));
        return truths === undefined ? null : QUANTIFIERS[expression.quantifier](truths);
      }
      case 'reduce': {
        let sum = this.value(expression.initial, environment);
        const items = listOf(this.value(expression.list, environment));
        for (const item of items ?? []) {
          const row = new Map(within(expression.accumulator.text, sum)).set(expression.variable.text, item);
          sum = this.value(expression.result, row);
        }
        return items === undefined ? null : sum;
      }
      default:
        return this.#pattern(expression, environment);
    }
  }

  #pattern(expression: Expression, environment: Environment): Plain {
    switch (expression.kind) {
      case 'pattern':
        return this.matcher.matches([expression.pattern], undefined, environment).length > 0;
      case 'pattern-comprehension': {
        const { pattern, where, result } = expression;
        const rows = this.matcher.matches([pattern], where, environment);
        return rows.map((row) => this.value(result, row));
      }
      case 'subquery': {
        const rows = this.#run(expression.query, environment);
        if (expression.form === 'exists') return rows.length > 0;
        if (expression.form === 'count') return BigInt(rows.length);
        return rows.map((row) => [...row.values()][0] ?? null);
      }
      default:
        throw new Error(`the interpreter has no ${expression.kind}`);
    }
  }
}

const QUANTIFIERS: Readonly<Record<QuantifierExpression['quantifier'], (truths: readonly Truth[]) => Truth>> =
  {
    any: anyOf,
    all: allOf,
    none: (truths) => notOf(anyOf(truths)),
    single: (truths) => {
      const [yes, unknown] = [true, null].map((each) => truths.filter((truth) => truth === each).length);
      if ((yes ?? 0) > 1) return false;
      return (unknown ?? 0) > 0 ? null : yes === 1;
    },
  };

function tested(operator: string, left: Plain, right: Plain): Plain {
  return operator.includes(' ') ? binary(operator, left, right) : comparison(operator, left, right);
}

function binary(operator: string, left: Plain, right: Plain): Plain {
  switch (operator) {
    case 'and':
      return allOf([truthIn(left), truthIn(right)]);
    case 'or':
      return anyOf([truthIn(left), truthIn(right)]);
    case 'xor': {
      const [a, b] = [truthIn(left), truthIn(right)];
      return a === null || b === null ? null : a !== b;
    }
    case 'in': {
      const items = listOf(right);
      return items === undefined ? null : anyOf(items.map((item) => plainEqual(item, left)));
    }
    case 'starts with':
    case 'ends with':
    case 'contains':
      return textTest(operator, left, right);
    default:
      return calculated(operator, left, right);
  }
}

function textTest(operator: string, left: Plain, right: Plain): Truth {
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  const at = left.lastIndexOf(right);
  if (operator === 'contains') return at >= 0;
  return operator === 'starts with'
    ? left.slice(0, right.length) === right
    : at >= 0 && at + right.length === left.length;
}

function comparison(operator: string, left: Plain, right: Plain): Truth {
  if (operator === '=') return plainEqual(left, right);
  if (operator === '<>') return notOf(plainEqual(left, right));
  const order = compared(left, right);
  if (order === undefined) return null;
  if (Number.isNaN(order)) return false;
  return ORDERS[operator]?.(order) ?? null;
}

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

function propertyOf(subject: Plain, key: string): Plain {
  if (subject === null) return null;
  if (subject instanceof PlainNode || subject instanceof PlainLink)
    return subject.properties.get(key) ?? null;
  if (subject instanceof Map) return (subject as ReadonlyMap<string, Plain>).get(key) ?? null;
  throw new PlainFault('no properties');
}

function listOf(value: Plain): readonly Plain[] | undefined {
  if (value === null) return undefined;
  if (isPlainList(value)) return value;
  throw new PlainFault('no list');
}

function elementOf(subject: Plain, index: Plain): Plain {
  if (subject === null || index === null) return null;
  if (typeof index === 'string') return propertyOf(subject, index);
  const items = listOf(subject) ?? [];
  const at = Number(index);
  return items[at < 0 ? items.length + at : at] ?? null;
}

/** A bound below zero counts from the end; one that is left out is the list's. */
function sliceOf(list: Plain, from: Plain | undefined, to: Plain | undefined): Plain {
  if (list === null || from === null || to === null) return null;
  const items = listOf(list) ?? [];
  const place = (bound: Plain | undefined, whole: number): number => {
    const at = bound === undefined ? whole : Number(bound);
    return at < 0 ? items.length + at : at;
  };
  const [low, high] = [place(from, 0), place(to, items.length)];
  return items.filter((_, at) => at >= low && at < high);
}
