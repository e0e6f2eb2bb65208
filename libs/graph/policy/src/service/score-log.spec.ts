import { describe, expect, it } from '@jest/globals';
import { UNSHARED } from '#graph/engine';
import { parseRules } from '../rule/parse-rules.ts';
import { jsonSource } from '../rule/rule-source.ts';
import type { LastRun } from './evaluation.ts';
import type { PolicyDocument, PolicyDocuments } from './policy-ports.ts';
import { ScoreLog, type ScorePoint, scoresOf } from './score-log.ts';

const CIS = { framework: 'CIS', control: '1' };
const ISO = { framework: 'ISO', control: '1' };
const RULES = parseRules(
  jsonSource({
    rules: [
      { id: 'pass', query: 'FIND a', frameworks: [CIS, ISO], severity: 'critical' },
      { id: 'fail', query: 'FIND a', frameworks: [CIS, { ...CIS, control: '2' }] },
      { id: 'broken', query: 'FIND a', frameworks: [CIS] },
      { id: 'empty', query: 'FIND a', frameworks: [ISO] },
      { id: 'new', query: 'FIND a' },
      { id: 'off', query: 'FIND a', enabled: false },
    ],
  }),
);
const STATUS: Readonly<Record<string, LastRun['status']>> = {
  pass: 'Pass',
  fail: 'Fail',
  broken: 'Error',
  empty: 'NoData',
  off: 'Pass',
};

function runOf(status: LastRun['status'] | undefined): LastRun | undefined {
  if (status === undefined) return undefined;
  return { evaluation_id: 'e', evaluated_at: 'now', status, violation_count: 0, waived_count: 0 };
}

function pointOf(number: number): ScorePoint {
  const scores = scoresOf(RULES, ({ id }) => runOf(STATUS[id]));
  const id = `e${String(number).padStart(5, '0')}`;
  return { evaluation_id: id, at: 'now', trigger: 'request', snapshot_version: number, ...scores };
}

describe('scores', () => {
  it('count each rule once, and an unknown status never as passed', () => {
    const { all, frameworks } = scoresOf(RULES, ({ id }) => runOf(STATUS[id]));

    expect(all).toMatchObject({ overall_score: 1 / 3, rules_with_data: 3, rules_without_data: 1 });
    expect(all).toMatchObject({ pass_count: 1, fail_count: 1, error_count: 1, not_evaluated_count: 1 });
    expect(frameworks['CIS']).toMatchObject({ overall_score: 1 / 3, rules_with_data: 3 });
    expect(frameworks['ISO']).toMatchObject({ overall_score: 1, rules_with_data: 1, rules_without_data: 1 });
  });

  it('are null if no rule had data, or none was evaluated', () => {
    for (const status of ['NoData', undefined] as const) {
      const { all, frameworks } = scoresOf(RULES, () => runOf(status));

      expect([all.overall_score, all.weighted_score]).toEqual([null, null]);
      expect(frameworks['CIS']?.overall_score).toBeNull();
    }
  });
});

describe('the score log', () => {
  const values = new Map<string, unknown>();
  const documents: PolicyDocuments = {
    ...UNSHARED,
    change: (_namespace, changes) => {
      for (const { id, value } of changes) {
        if (value === undefined) values.delete(id);
        else values.set(id, value);
      }
      return Promise.resolve();
    },
    get: () => Promise.resolve(undefined),
    async *all(): AsyncIterable<PolicyDocument> {
      for (const [id, value] of [...values].sort()) yield { id, value };
    },
  };

  it('keeps the last 1,000 points, also in the store', async () => {
    const log = new ScoreLog();
    for (let number = 0; number < 1_010; number++) {
      const { documents: changes, keep } = log.add(pointOf(number));
      await documents.change('policy', changes);
      keep();
    }
    const again = new ScoreLog();
    await again.load(documents);

    const { count, points } = log.history('CIS', 3);
    expect([count, points.map(({ snapshot_version: version }) => version)]).toEqual([
      1_000,
      [1007, 1008, 1009],
    ]);
    expect(again.history(undefined)).toEqual(log.history(undefined));
    expect(log.history('unknown')).toEqual({ framework: 'unknown', count: 0, points: [] });
    expect(log.history('constructor').count).toBe(0);
  });

  it('returns a point only once it is durable', () => {
    const log = new ScoreLog();

    const { keep } = log.add(pointOf(1));

    expect(log.history(undefined).count).toBe(0);
    keep();
    expect(log.history(undefined).count).toBe(1);
  });

  it('keeps fewer points if each has very many frameworks', () => {
    const log = new ScoreLog();
    const { all, ...facts } = pointOf(1);
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`f${index}`, all]));

    for (let number = 0; number < 5; number++) log.add({ ...facts, all, frameworks: many }).keep();

    expect(log.history(undefined).count).toBe(2);
  });
});
