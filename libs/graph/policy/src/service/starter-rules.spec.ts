import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { readPackageLock } from '#graph/connector';
import { snapshotOf } from '#graph/memory';
import { NodeDisk } from '#platform/disk';
import { evaluateRule } from '../evaluation/evaluate-rule.ts';
import { runRuleTests } from '../evaluation/run-rule-tests.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import type { Rule } from '../rule/rule.ts';
import { readRuleFiles } from './rule-files.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const RULES = await readRuleFiles(join(ROOT, 'rules/starter'), new NodeDisk());

const OF_DEMO = await readRuleFiles(join(ROOT, 'samples/estate/rules'), new NodeDisk());

describe('the starter rules', () => {
  it('are at least 20, each mapped to a control, with a passing and a failing test', () => {
    const statuses = RULES.map(({ tests }) => tests.map(({ expect: { status } }) => status).sort());

    expect(RULES.length).toBeGreaterThanOrEqual(20);
    expect(RULES.filter(({ frameworks }) => frameworks.length === 0)).toEqual([]);
    expect(statuses.filter((each) => !each.includes('fail') || !each.includes('pass'))).toEqual([]);
    expect(RULES.filter(({ schedule }) => schedule !== 'on_sync:*')).toEqual([]);
  });

  it.each([...RULES, ...OF_DEMO].map((rule) => [rule.id, rule] as const))(
    '%s passes its own tests',
    (_id, rule) => {
      const results = runRuleTests(rule, (graph) => snapshotOf(graph, Date.UTC(2026, 0, 1)));

      expect(results.filter(({ isPassed }) => !isPassed)).toEqual([]);
    },
  );

  describe('over the packages of this repository', () => {
    let snapshot: ReturnType<typeof snapshotOf>;

    beforeAll(async () => {
      const lock = readPackageLock(await new NodeDisk().readText(join(ROOT, 'package-lock.json')));
      snapshot = snapshotOf(lock, Date.UTC(2026, 0, 1));
    });

    const evaluate = (rule: Rule) => {
      const task = { rule, params: {}, violationsMax: 10, timeoutMs: 10_000, nowMs: 0 };
      return evaluateRule(createRuleEngine(), snapshot, task);
    };

    it('have data for the package rules only', () => {
      const outcomes = RULES.map(evaluate);
      const judged = RULES.filter((_, index) => outcomes[index]?.status !== 'NoData').map(({ id }) => id);

      expect(outcomes.filter(({ error }) => error !== null)).toEqual([]);
      expect(judged).toEqual([
        'package-strong-copyleft',
        'package-weak-copyleft',
        'package-without-licence',
        'package-proprietary-licence',
        'package-deprecated',
        'package-install-script',
        'package-several-versions',
        'package-cycle',
        'package-orphaned',
      ]);
    });

    it('find no package under a strong copyleft licence', () => {
      const rules = RULES.filter(({ id }) => id === 'package-strong-copyleft');

      expect(rules.map((rule) => evaluate(rule).status)).toEqual(['Pass']);
    });
  });
});
