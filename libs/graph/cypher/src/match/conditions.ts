/** The conditions of a MATCH: labels, properties and WHERE, each applied as soon as it can be. */
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
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
import { isTestValue, type PropertyTest, propertyTest } from './property-test.ts';

export interface Condition {
  /** Slots of the patterns that it reads. */
  readonly needs: ReadonlySet<number>;
  /** For the plan: words, and where the statement has it. */
  readonly details: readonly (string | Span)[];
  readonly test: Evaluation;
}

/** `n.key = value` or `n.key IN values`, where they do not depend on the patterns: a scan may use it. */
export interface KnownValue {
  readonly slot: number;
  readonly key: string;
  readonly value: Evaluation;
  readonly isList: boolean;
  /** Whether it is the same for all rows. */
  readonly isConstant: boolean;
}

/** Another condition on one property of a node against constants. */
export interface KnownTest {
  readonly slot: number;
  readonly test: PropertyTest;
}

export interface MatchConditions {
  readonly conditions: readonly Condition[];
  readonly knownValues: readonly KnownValue[];
  readonly knownTests: readonly KnownTest[];
  /** Tests of one relationship of a path of any length, by slot. */
  readonly ofEach: ReadonlyMap<number, (value: Value, row: Row, run: Run) => boolean>;
}

export function matchConditions(
  graph: PatternGraph,
  where: Expression | undefined,
  parts: CompilerParts,
): MatchConditions {
  const builder = new ConditionBuilder(graph, { ...parts, scope: graph.scope });
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
  readonly #parts: CompilerParts;
  readonly #compiler: ExpressionCompiler;
  readonly #ownSlots: ReadonlySet<number>;
  readonly #conditions: Condition[] = [];
  readonly #knownValues: KnownValue[] = [];
  readonly #knownTests: KnownTest[] = [];
  readonly #ofEach = new Map<number, (value: Value, row: Row, run: Run) => boolean>();

  constructor(graph: PatternGraph, parts: CompilerParts) {
    this.#graph = graph;
    this.#parts = parts;
    this.#compiler = new ExpressionCompiler(parts);
    const elements = [...graph.nodes, ...graph.links];
    const unbound = elements.filter(({ isBound }) => !isBound).map(({ slot }) => slot);
    const lists = graph.links.flatMap((link) => link.lists.map(({ slot }) => slot));
    this.#ownSlots = new Set([...unbound, ...lists, ...graph.paths.map(({ slot }) => slot)]);
  }

  get result(): MatchConditions {
    return {
      conditions: this.#conditions,
      knownValues: this.#knownValues,
      knownTests: this.#knownTests,
      ofEach: this.#ofEach,
    };
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
    if (needs.size === 0) {
      const isConstant = isTestValue(value);
      this.#knownValues.push({ slot, key, value: evaluation, isList: false, isConstant });
    }
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
    if (!this.#noteKnownValue(conjunct)) this.#noteKnownTest(conjunct);
    this.#add(this.#needsOf(conjunct), [conjunct.span], test);
  }

  /** Whether the condition is that a property has one of some values. */
  #noteKnownValue(conjunct: Expression): boolean {
    if (conjunct.kind === 'binary' && conjunct.operator === 'in')
      return this.#noteKnown(conjunct.left, conjunct.right, true);
    if (conjunct.kind !== 'comparison' || conjunct.rest.length !== 1) return false;
    const [test] = conjunct.rest;
    if (test?.operator !== '=') return false;
    const isFirst = this.#noteKnown(conjunct.first, test.operand, false);
    return this.#noteKnown(test.operand, conjunct.first, false) || isFirst;
  }

  #noteKnown(own: Expression, other: Expression, isList: boolean): boolean {
    if (own.kind !== 'property' || own.subject.kind !== 'variable') return false;
    const variable = this.#graph.scope.find(own.subject.name);
    if (variable === undefined || this.#needsOf(other).size > 0) return false;
    const { slot } = variable;
    const value = this.#compiler.evaluation(other);
    this.#knownValues.push({ slot, key: own.key, value, isList, isConstant: isTestValue(other) });
    return true;
  }

  #noteKnownTest(conjunct: Expression): void {
    const found = propertyTest(conjunct, this.#parts);
    const slot = found && this.#graph.scope.find(found.variable)?.slot;
    if (found !== undefined && slot !== undefined) this.#knownTests.push({ slot, test: found.test });
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

/** All of them as one: those behind the first that does not hold are not tested. */
export function jointly(conditions: readonly Condition[]): Condition {
  const tests = conditions.map(({ test }) => test);
  return {
    needs: new Set(conditions.flatMap(({ needs }) => [...needs])),
    details: conditions.flatMap(({ details }) => details),
    test: {
      evaluate: (row, run) => tests.every(({ evaluate }) => evaluate(row, run) === true),
      *inSteps(row, run) {
        for (const [at, { evaluate: test, inSteps }] of tests.entries()) {
          if (at % TESTS_PER_STEP === 0 && run.isPauseDue()) yield undefined;
          const truth = inSteps === undefined ? test(row, run) : yield* inSteps(row, run);
          if (truth !== true) return false;
        }
        return true;
      },
    },
  };
}

/** Conditions that are tested in the time of a step. */
const TESTS_PER_STEP = 64;

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
