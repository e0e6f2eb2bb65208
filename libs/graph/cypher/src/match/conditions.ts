/** The conditions of a MATCH: labels, properties and WHERE, each applied as soon as it can be. */
import type { ExpressionCompiler } from '../expression/compile-expression.ts';
import { compileLabels, dynamicNames } from '../expression/labels.ts';
import { namesIn } from '../expression/parts.ts';
import { propertiesOf } from '../expression/projected-map.ts';
import { type Evaluation, extended, type Row, type Run } from '../graph/run.ts';
import { propertyOf } from '../function/graph-functions.ts';
import type { Expression, LinkPattern, NodePattern, Span } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { equal } from '../value/equality.ts';
import { isMap, type Value } from '../value/value.ts';
import { entriesOf, type PatternGraph } from './pattern-graph.ts';

export interface Condition {
  /** Slots of the patterns that it reads. */
  readonly needs: ReadonlySet<number>;
  /** For the plan: words, and where the statement has it. */
  readonly details: readonly (string | Span)[];
  readonly test: Evaluation;
}

/** `n.key = value`, where the value does not depend on the patterns: a scan may use it. */
export interface KnownValue {
  readonly slot: number;
  readonly key: string;
  readonly value: Evaluation;
}

export interface MatchConditions {
  readonly conditions: readonly Condition[];
  readonly knownValues: readonly KnownValue[];
  /** Tests of one relationship of a path of any length, by slot. */
  readonly ofEach: ReadonlyMap<number, (value: Value, row: Row, run: Run) => boolean>;
}

export function matchConditions(
  graph: PatternGraph,
  where: Expression | undefined,
  compiler: ExpressionCompiler,
): MatchConditions {
  const builder = new ConditionBuilder(graph, compiler);
  for (const { slot, patterns } of graph.nodes) {
    for (const pattern of patterns) builder.addElement(slot, pattern, pattern.labels);
  }
  for (const { slot, pattern } of graph.links) {
    if (pattern.range === undefined) builder.addElement(slot, pattern, pattern.types);
    else builder.addEach(slot, pattern);
  }
  if (where !== undefined) builder.addWhere(where);
  return builder.result;
}

class ConditionBuilder {
  readonly #graph: PatternGraph;
  readonly #compiler: ExpressionCompiler;
  readonly #ownSlots: ReadonlySet<number>;
  readonly #conditions: Condition[] = [];
  readonly #knownValues: KnownValue[] = [];
  readonly #ofEach = new Map<number, (value: Value, row: Row, run: Run) => boolean>();

  constructor(graph: PatternGraph, compiler: ExpressionCompiler) {
    this.#graph = graph;
    this.#compiler = compiler;
    const elements = [...graph.nodes, ...graph.links];
    const unbound = elements.filter(({ isBound }) => !isBound).map(({ slot }) => slot);
    const lists = graph.links.flatMap((link) => link.lists.map(({ slot }) => slot));
    this.#ownSlots = new Set([...unbound, ...lists, ...graph.paths.map(({ slot }) => slot)]);
  }

  get result(): MatchConditions {
    return { conditions: this.#conditions, knownValues: this.#knownValues, ofEach: this.#ofEach };
  }

  addElement(slot: number, pattern: NodePattern | LinkPattern, labels: NodePattern['labels']): void {
    if (labels !== undefined) {
      const names = dynamicNames(labels);
      const needs = names.flatMap((name) => [...this.#needsOf(name)]);
      const test = compileLabels(labels, (name) => this.#compiler.compile(name));
      this.#add([slot, ...needs], ['label', labels.span], {
        evaluate: (row, run) => test(row[slot] ?? null, row, run),
      });
    }
    for (const { key, value } of entriesOf(pattern)) this.#addEquality(slot, key, value);
    this.#addParameter(slot, pattern);
    if (pattern.where !== undefined) this.addWhere(pattern.where);
  }

  #addParameter(slot: number, { properties }: NodePattern | LinkPattern): void {
    if (properties === undefined || properties.kind === 'map') return;
    refuseParameter(properties);
  }

  #addEquality(slot: number, key: string, value: Expression): void {
    const evaluation = this.#compiler.evaluation(value);
    const { evaluate, inSteps } = evaluation;
    const needs = this.#needsOf(value);
    if (needs.size === 0) this.#knownValues.push({ slot, key, value: evaluation });
    const isEqual = (row: Row, run: Run, expected: Value): Value =>
      equal(propertyOf(run.graph, row[slot] ?? null, key), expected);
    this.#add([slot, ...needs], [`${key} =`, value.span], {
      evaluate: (row, run) => isEqual(row, run, evaluate(row, run)),
      inSteps:
        inSteps &&
        function* (row, run) {
          return isEqual(row, run, yield* inSteps(row, run));
        },
    });
  }

  /** Of each relationship of a path of any length. */
  addEach(slot: number, pattern: LinkPattern): void {
    const { types, properties } = pattern;
    const holds = this.#whereOfEach(pattern);
    const hasType = types && compileLabels(types, (name) => this.#compiler.compile(name));
    const expected = properties === undefined ? undefined : this.#compiler.compile(properties);
    if (properties !== undefined && properties.kind !== 'map') refuseParameter(properties);
    this.#ofEach.set(slot, (value, row, run) => {
      if (hasType !== undefined && hasType(value, row, run) !== true) return false;
      if (holds !== undefined && !holds(value, row, run)) return false;
      return expected === undefined || hasProperties(value, expected(row, run), run);
    });
  }

  /** In the condition of a relationship of variable length, its variable is each relationship in turn. */
  #whereOfEach({
    where,
    variable,
  }: LinkPattern): ((value: Value, row: Row, run: Run) => boolean) | undefined {
    if (where === undefined) return undefined;
    const { scope, variable: each } = this.#compiler.scope.with(variable?.text ?? ' each', 'link');
    const { evaluate } = this.#compiler.within(scope).condition(where);
    return (value, row, run) => evaluate(extended(row, each.slot, value), run) === true;
  }

  /** AND at the top is several conditions. */
  addWhere(where: Expression): void {
    const waiting = [where];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.kind === 'binary' && next.operator === 'and') waiting.push(next.right, next.left);
      else this.#addConjunct(next);
    }
  }

  #addConjunct(conjunct: Expression): void {
    const test = this.#compiler.condition(conjunct);
    this.#noteKnownValue(conjunct);
    this.#add(this.#needsOf(conjunct), [conjunct.span], test);
  }

  #noteKnownValue(conjunct: Expression): void {
    if (conjunct.kind !== 'comparison' || conjunct.rest.length !== 1) return;
    const [test] = conjunct.rest;
    if (test?.operator !== '=') return;
    for (const [own, other] of [
      [conjunct.first, test.operand],
      [test.operand, conjunct.first],
    ] as const) {
      if (own.kind !== 'property' || own.subject.kind !== 'variable') continue;
      const variable = this.#graph.scope.find(own.subject.name);
      if (variable === undefined || this.#needsOf(other).size > 0) continue;
      const value = this.#compiler.evaluation(other);
      this.#knownValues.push({ slot: variable.slot, key: own.key, value });
    }
  }

  #add(needs: Iterable<number>, details: Condition['details'], test: Evaluation): void {
    const own = new Set([...needs].filter((slot) => this.#ownSlots.has(slot)));
    this.#conditions.push({ needs: own, details, test });
  }

  /** The patterns' slots whose names occur anywhere in the expression; more than it reads does no harm. */
  #needsOf(expression: Expression): ReadonlySet<number> {
    const needs = new Set<number>();
    for (const name of namesIn(expression)) {
      const slot = this.#graph.scope.find(name)?.slot;
      if (slot !== undefined && this.#ownSlots.has(slot)) needs.add(slot);
    }
    return needs;
  }
}

function refuseParameter({ span }: Expression): never {
  throw new SyntaxFault(
    'InvalidParameterUse',
    span,
    'a parameter cannot stand for the properties in MATCH or MERGE',
  );
}

function hasProperties(value: Value, expected: Value, run: Run): boolean {
  if (!isMap(expected)) return false;
  const own = propertiesOf(run.graph, value);
  return [...expected].every(([key, item]) => equal(own.get(key) ?? null, item) === true);
}
