import {
  completeEntity,
  type EntityInput,
  FieldPath,
  parseEntity,
  parseRelationship,
  type RelationshipInput,
} from '#graph/model';
import type { GraphReader } from '#graph/execution';
import { createRuleEngine } from '../rule/rule-query.ts';
import type { Rule, RuleTest } from '../rule/rule.ts';
import { evaluateRule } from './evaluate-rule.ts';
import type { RuleOutcome } from './outcome.ts';

const TEST_TIMEOUT_MS = 10_000;

/** The graph of a rule's test. The ends of relationships refer to its entities. */
export interface TestGraph {
  readonly entities: readonly EntityInput[];
  readonly relationships: readonly RelationshipInput[];
}

export interface RuleTestResult {
  readonly ruleId: string;
  readonly test: string;
  readonly isPassed: boolean;
  /** Expected and actual results; empty if passed. */
  readonly message: string;
}

/** Runs the tests of a rule, each on its own graph, created by `readerOf`. */
export function runRuleTests(rule: Rule, readerOf: (graph: TestGraph) => GraphReader): RuleTestResult[] {
  return rule.tests.map((test) => {
    const message = failureOf(rule, test, readerOf);
    return { ruleId: rule.id, test: test.name, isPassed: message === '', message };
  });
}

function failureOf(rule: Rule, test: RuleTest, readerOf: (graph: TestGraph) => GraphReader): string {
  const graph = graphOf(test);
  const dangling = danglingEnd(graph);
  if (dangling !== undefined) return `no entity ${dangling} in the test`;
  const nowMs = Date.now();
  const { params } = test;
  const task = { rule, params, violationsMax: Infinity, timeoutMs: TEST_TIMEOUT_MS, needsData: false, nowMs };
  return differenceOf(test, evaluateRule(createRuleEngine(), readerOf(graph), task));
}

function graphOf({ entities, relationships }: RuleTest): TestGraph {
  return {
    entities: entities.map((value) => completeEntity(parseEntity(value, new FieldPath()))),
    relationships: relationships.map((value) => parseRelationship(value, new FieldPath())),
  };
}

function danglingEnd({ entities, relationships }: TestGraph): string | undefined {
  const known = new Set(entities.map(({ type, key }) => `${type} ${key}`));
  const ends = relationships.flatMap(({ from, to }) => [from, to]).map(({ type, key }) => `${type} ${key}`);
  return ends.find((end) => !known.has(end));
}

function differenceOf({ expect }: RuleTest, outcome: RuleOutcome): string {
  const status = outcome.status.toLowerCase();
  if (status !== expect.status) {
    const why = outcome.error === null ? found(outcome) : outcome.error;
    return `expected ${expect.status}, got ${status} (${why})`;
  }
  if (expect.violations === undefined) return '';
  const wanted = expect.violations.toSorted().join(', ');
  return wanted === found(outcome) ? '' : `expected violations [${wanted}], got [${found(outcome)}]`;
}

function found({ violations }: RuleOutcome): string {
  return violations
    .filter(({ waived }) => waived === undefined)
    .map(({ key, display_name: label }) => key ?? label)
    .sort()
    .join(', ');
}
