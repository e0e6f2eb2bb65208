import { beforeEach, describe, expect, it } from '@jest/globals';
import { ChangeLog } from '#graph/memory';
import { NO_SIGHTINGS, type RuleOutcome, type RuleWarning } from '../evaluation/outcome.ts';
import { parseRule } from '../rule/parse-rules.ts';
import { jsonSource } from '../rule/rule-source.ts';
import type { Rule } from '../rule/rule.ts';
import type { EvaluationRequest } from './evaluation.ts';
import { KeptOutcomes } from './kept-outcomes.ts';
import { RuleRunner } from './rule-runner.ts';

const START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const PASSED: RuleOutcome = {
  status: 'Pass',
  violationCount: 0,
  waivedCount: 0,
  violations: [],
  decidedCount: 0,
  sightings: NO_SIGHTINGS,
  isComplete: true,
  warnings: [],
  error: null,
  durationMs: 7,
};
const UNKNOWN_WORD: RuleWarning = { code: 'UNKNOWN_CLASS', message: 'no class', nearest: 'host' };

function ruleOf(source: object = {}): Rule {
  return parseRule(jsonSource({ id: 'r', query: 'FIND host THAT RUNS service', ...source }));
}

function failedWith(count: number): RuleOutcome {
  const findingIds = Array.from({ length: count }, (_, at) => `r:${at}`);
  const violations = findingIds.map((finding_id) => ({
    finding_id,
    entity_id: null,
    type: null,
    key: null,
    class: null,
    display_name: finding_id,
  }));
  const classes = findingIds.map(() => null);
  return { ...PASSED, status: 'Fail', violationCount: count, violations, sightings: { findingIds, labels: findingIds, classes, entityIds: classes, waived: [] } };
} // prettier-ignore

describe('RuleRunner', () => {
  let changes: ChangeLog;
  let runner: RuleRunner;
  let seq: number;
  let ran: string[];
  let outcome: RuleOutcome;

  const run = async (rules: readonly Rule[], request: EvaluationRequest = {}, nowMs = START_MS) => {
    ran = [];
    return runner.run(rules, request, nowMs);
  };

  beforeEach(() => {
    changes = new ChangeLog();
    seq = 1;
    outcome = PASSED;
    const graph = {
      changedVersion: 0,
      get changes() {
        return changes;
      },
      snapshot: () => ({ snapshotVersion: seq, share: () => undefined, release: () => undefined }),
    };
    const evaluator = {
      run: (tasks: readonly { readonly rule: Rule }[]) => {
        ran.push(...tasks.map(({ rule }) => rule.id));
        return Promise.resolve(tasks.map(() => outcome));
      },
    };
    runner = new RuleRunner(evaluator, graph);
  });

  it('does not run a rule again without a change of its inputs', async () => {
    const rule = ruleOf();
    const first = await run([rule]);
    changes.entity(++seq, { type: 'user', class: 'User' });
    changes.relationship(seq, 'USES');
    changes.touched(seq);

    const second = await run([rule]);

    expect(ran).toEqual([]);
    expect(second.outcomes.get('r')).toBe(first.outcomes.get('r'));
    expect([[...first.reused], [...second.reused]]).toEqual([[], ['r']]);
    expect(second.snapshotVersion).toBe(2);
  });

  it.each<[string, object, () => void]>([
    ['an entity of its type', {}, () => changes.entity(2, { type: 'host', class: 'Host' })],
    ['an entity of a class', { query: 'FIND Host' }, () => changes.entity(2, { type: 'host', class: 'Host' })],
    ['a relationship of its verb', {}, () => changes.relationship(2, 'RUNS')],
    ['its population', { population: 'FIND user' }, () => changes.entity(2, { type: 'user', class: 'User' })],
    ['any entity, for a query of all entities', { query: 'FIND *' }, () => changes.entity(2, { type: 'user', class: 'User' })],
    ['any verb', { query: 'FIND host THAT RELATES TO host' }, () => changes.relationship(2, 'USES')],
    ['a verb of WHERE', { query: 'FIND host AS a THAT RUNS service AS b WHERE NOT (a THAT USES b)' }, () => changes.relationship(2, 'USES')],
    ['the time of last seen', { query: 'FIND host WITH _last_seen_at EXISTS' }, () => changes.touched(2)],
    ['a stamp of its identity', { identity: ['_source'] }, () => changes.touched(2)],
    ['a graph that became empty', {}, () => changes.emptied(2)],
    ['the change log', {}, () => (changes = new ChangeLog())],
  ])('runs a rule again after a change of %s', async (_, source, change) => {
    const rule = ruleOf(source);
    await run([rule]);
    await run([rule]);
    expect(ran).toEqual([]);
    change();
    seq = 2;

    await run([rule]);

    expect(ran).toEqual(['r']);
  }); // prettier-ignore

  it('runs a rule again while a change is not yet in the snapshot', async () => {
    const rule = ruleOf();
    await run([rule]);
    changes.entity(2, { type: 'host', class: 'Host' });

    await run([rule]);
    expect(ran).toEqual(['r']);
    seq = 2;
    await run([rule]);

    expect(ran).toEqual(['r']);
  });

  it('runs a rule again after any change if its warnings contain the nearest name', async () => {
    outcome = { ...PASSED, warnings: [UNKNOWN_WORD] };
    await run([ruleOf()]);
    changes.entity(++seq, { type: 'hots', class: 'Hots' });

    await run([ruleOf()]);

    expect(ran).toEqual(['r']);
  });

  it.each([
    ['depends on the time', ruleOf({ query: 'FIND host WITH _created_at < NOW - 1d' }), PASSED],
    ['has failed to run', ruleOf(), { ...PASSED, status: 'Error', error: 'QUERY_TIMEOUT' } as const],
  ])('runs a rule each time that %s', async (_, rule, came) => {
    outcome = came;
    await run([rule]);

    await run([rule]);

    expect(ran).toEqual(['r']);
  });

  it('runs a rule again once one of its exceptions has expired', async () => {
    const expires = new Date(START_MS + DAY_MS).toISOString();
    const rule = ruleOf({ exceptions: [{ match: "_key = 'a'", reason: 'known', expires }] });
    await run([rule]);
    await run([rule], {}, START_MS + DAY_MS - 1);
    expect(ran).toEqual([]);

    await run([rule], {}, START_MS + DAY_MS);

    expect(ran).toEqual(['r']);
  });

  it('runs an edited rule again, but not an equal one that was reloaded', async () => {
    await run([ruleOf()]);
    await run([ruleOf()]);
    expect(ran).toEqual([]);

    await run([ruleOf({ expect: { max: 1 } })]);

    expect(ran).toEqual(['r']);
  });

  it('runs a rule again if more of its truncated violations are requested', async () => {
    outcome = failedWith(2);
    await run([ruleOf()], { limit: 2 });

    await run([ruleOf()], { limit: 3 });
    expect(ran).toEqual(['r']);
    await run([ruleOf()], { limit: 4 });

    expect(ran).toEqual([]);
  });

  it('does not share outcomes with a what-if', async () => {
    await run([ruleOf()]);
    await run([ruleOf()], { params: {} });
    expect(ran).toEqual(['r']);
    changes.entity(++seq, { type: 'host', class: 'Host' });
    await run([ruleOf()], { params: {} });

    await run([ruleOf()]);

    expect(ran).toEqual(['r']);
  });
});

describe('kept outcomes', () => {
  it('are dropped, oldest first, if they contain too many findings', () => {
    const kept = new KeptOutcomes(10);
    const changes = new ChangeLog();
    const tasks = ['a', 'b', 'c'].map((id) => ({
      rule: ruleOf({ id }),
      params: {},
      violationsMax: 100,
      timeoutMs: 1,
      nowMs: START_MS,
    }));

    for (const task of tasks) kept.keep(task, failedWith(2), changes.mark(1));

    expect(tasks.map((task) => kept.find(task, changes)?.violationCount)).toEqual([undefined, 2, 2]);
  });
});
