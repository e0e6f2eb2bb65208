import { beforeEach, describe, expect, it } from '@jest/globals';
import { FIXTURE } from '#graph/testing';
import { PolicyWorld, rulesOf, START_MS } from '../../test/policy-world.ts';
import type { Rule } from '../rule/rule.ts';
import type { Policies } from './policies.ts';

const DAY_MS = 86_400_000;

const CIS = 'CIS-Controls-v8';
const RULES = rulesOf(
  {
    id: 'edr',
    severity: 'high',
    query: 'FIND host THAT !PROTECTS edr_agent',
    population: 'FIND host',
    frameworks: [{ framework: CIS, control: '10.1', title: 'Malware' }],
  },
  {
    id: 'mfa',
    severity: 'critical',
    query: 'FIND user WITH mfa_enabled = false',
    frameworks: [{ framework: CIS, control: '6.3' }],
  },
  {
    id: 'plan9',
    query: "FIND host WITH os = 'plan9'",
    frameworks: [
      { framework: CIS, control: '10.1' },
      { framework: CIS, control: '6.10' },
    ],
  },
  { id: 'off', query: 'FIND host', enabled: false, frameworks: [{ framework: CIS, control: '1.1' }] },
  {
    id: 'broken',
    severity: 'info',
    query: 'FIND host WITH os = $os',
    parameters: { os: { type: 'string' } },
  },
);

describe('policies', () => {
  let world: PolicyWorld;
  let policies: Policies;

  beforeEach(async () => {
    world = new PolicyWorld();
    policies = await world.open();
  });

  describe('rules', () => {
    it('are replaced, merged and removed, with counts in the reply', async () => {
      const [edr, mfa] = RULES as [Rule, Rule];

      expect(await policies.rules.change(RULES, 'replace')).toEqual({
        loaded: 5,
        added: 5,
        updated: 0,
        removed: 0,
      });
      expect(await policies.rules.change([edr, { ...mfa, name: 'New' }], 'replace')).toEqual({
        loaded: 2,
        added: 0,
        updated: 1,
        removed: 3,
      });
      expect(await policies.rules.change(RULES.slice(2), 'merge')).toMatchObject({ loaded: 5, added: 3 });
      expect(await policies.rules.remove('mfa')).toMatchObject({ removed: 1 });
      expect(policies.rules.list().map(({ rule }) => rule.id)).toEqual(['broken', 'edr', 'off', 'plan9']);
    });

    it('of the API are kept over a restart', async () => {
      await policies.rules.change(RULES, 'replace');

      const later = await world.open();

      expect(later.rules.list()).toEqual(policies.rules.list());
    });

    it('that are stored but unreadable are left out, and the others are loaded', async () => {
      await policies.rules.change(RULES, 'merge');
      world.documents.values.set('rule/aaa', JSON.stringify({ id: 'aaa', query: 'FIND' }));

      const later = await world.open();

      expect(later.rules.list().map(({ rule }) => rule.id)).toEqual(['broken', 'edr', 'mfa', 'off', 'plan9']);
    });

    it('are unchanged after a failed write', async () => {
      world.documents.isBroken = true;

      await expect(policies.rules.change(RULES, 'replace')).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
      expect(policies.rules.list()).toEqual([]);
    });

    it('of files cannot be changed through the API, nor rules of the API by files', async () => {
      policies.rules.setFileRules(RULES.slice(0, 1));
      await policies.rules.change(RULES.slice(1), 'replace');
      const clash = { code: 'RULE_FROM_FILE' };

      await expect(policies.rules.change(RULES.slice(0, 1), 'merge')).rejects.toMatchObject(clash);
      await expect(policies.rules.remove('edr')).rejects.toMatchObject(clash);
      expect(() => policies.rules.setFileRules(RULES)).toThrow(expect.objectContaining(clash));
      await policies.rules.change([], 'replace');
      expect(policies.rules.list().map(({ rule, origin }) => [rule.id, origin])).toEqual([['edr', 'file']]);
    });
  });

  describe('an evaluation', () => {
    beforeEach(async () => {
      await policies.rules.change(RULES, 'replace');
    });

    it('has a separate result for each rule, including a faulty one', async () => {
      const { results, ...facts } = await policies.evaluate();

      expect(facts).toMatchObject({
        snapshot_version: 7,
        total: 5,
        pass: 1,
        fail: 2,
        error: 1,
        skipped: 1,
        waived: 0,
      });
      expect(results.map(({ rule_id, status }) => [rule_id, status])).toEqual([
        ['broken', 'Error'],
        ['edr', 'Fail'],
        ['mfa', 'Fail'],
        ['off', 'Skipped'],
        ['plan9', 'Pass'],
      ]);
    });

    it('sums the waived violations of its rules', async () => {
      const waiving = (id: string, keys: readonly string[]) => ({
        id,
        query: 'FIND host',
        exceptions: keys.map((key) => ({ match: `_key = '${key}'`, reason: 'known' })),
      });
      await policies.rules.change(
        rulesOf(waiving('a', ['web-01', 'web-02']), waiving('b', ['db-01'])),
        'replace',
      );

      expect((await policies.evaluate()).waived).toBe(3);
    });

    it('has an id that sorts by time, and is unique within a millisecond', async () => {
      const ids = [await policies.evaluate(), await policies.evaluate()].map(({ evaluation_id: id }) => id);

      for (const id of ids) expect(id).toMatch(/^20260601T000000000Z-[0-9a-f]{8}$/);
      expect(new Set(ids).size).toBe(2);
      expect(ids.map((id) => policies.history.versionOf(id))).toEqual([7, 7]);
      expect(policies.history.versionOf('nonsense')).toBeUndefined();
    });

    it('evaluates only the requested rules', async () => {
      const ids = async (request: object) =>
        (await policies.evaluate(request)).results.map(({ rule_id: id }) => id);

      expect(await ids({ ruleIds: ['mfa', 'plan9'] })).toEqual(['mfa', 'plan9']);
      expect(await ids({ frameworks: [CIS], severityMin: 'high' })).toEqual(['edr', 'mfa']);
      await expect(ids({ ruleIds: ['nonsense'] })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      await expect(ids({ frameworks: [CIS, 'CIS'] })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: 'frameworks: no rule is mapped to CIS',
      });
    });

    it('keeps first sightings, and new and resolved findings, also over a restart', async () => {
      const first = await policies.evaluate({ ruleIds: ['edr'] });
      world.nowMs += DAY_MS;
      world.without('win-01');
      const later = await world.open();

      const second = await later.evaluate({ ruleIds: ['edr'] });
      const past = await later.history.get(second.evaluation_id);

      const since = new Date(START_MS).toISOString();
      expect(second.results[0]?.violations).toMatchObject([{ key: 'web-02', first_seen: since }]);
      expect(second.results[0]?.violations[0]?.finding_id).toBe(first.results[0]?.violations[0]?.finding_id);
      expect(
        later.history.list().map(({ new_count, resolved_count }) => [new_count, resolved_count]),
      ).toEqual([
        [0, 1],
        [2, 0],
      ]);
      expect(past.results[0]?.resolved).toMatchObject([{ label: 'host win-01', first_seen: since }]);
    });

    it('with other parameters does not change findings and posture', async () => {
      await policies.evaluate({ ruleIds: ['broken'], params: { os: 'linux' } });

      expect(policies.history.lastRun(policies.rules.get('broken').rule)).toBeUndefined();
      expect(policies.history.list()).toHaveLength(1);
      await expect(policies.evaluate({ params: { nonsense: 1 } })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
      await expect(policies.evaluate({ params: { os: 1 } })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    });

    describe('of a rule that has since changed', () => {
      const os = { os: { type: 'string', default: 'linux' } };
      const lastRunIn = ({ history, rules }: Policies) => history.lastRun(rules.get('r').rule);
      const rule = (more: object = {}) =>
        rulesOf({ id: 'r', query: 'FIND host WITH os = $os', parameters: os, ...more });

      it.each([
        ['query', { query: 'FIND user WITH os = $os' }, []],
        ['parameters', { parameters: { os: { type: 'string', default: 'windows' } } }, [1]],
        ['expectation', { expect: { max: 2 } }, [3]],
        ['exceptions', { exceptions: [{ match: "_key = 'web-01'", reason: 'known' }] }, [2]],
      ])('no longer counts after a change of its %s', async (_what, more, counts) => {
        await policies.rules.change(rule(), 'replace');
        await policies.evaluate();
        await policies.rules.change(rule(more), 'replace');
        const later = await world.open();

        const before = [lastRunIn(policies), lastRunIn(later)];
        const posture = await later.posture();

        expect(before).toEqual([undefined, undefined]);
        expect(posture.failing_rules.map(({ violation_count: count }) => count)).toEqual(counts);
        expect(lastRunIn(later)).toMatchObject({ evaluation_id: later.history.list()[0]?.evaluation_id });
      });

      it('still counts after a change of its title, severity or other descriptive fields', async () => {
        await policies.rules.change(rule(), 'replace');
        await policies.evaluate();
        const before = lastRunIn(policies);
        await policies.rules.change(rule({ name: 'New', severity: 'low', tags: ['t'] }), 'replace');

        expect(before).toMatchObject({ status: 'Fail' });
        expect(lastRunIn(policies)).toEqual(before);
        expect(lastRunIn(await world.open())).toEqual(before);
      });

      it('is detected for files too, on a reload or at a start', async () => {
        policies.rules.setFileRules(rule());
        await policies.evaluate({ ruleIds: ['r'] });
        const before = lastRunIn(policies);
        const later = await world.open();
        later.rules.setFileRules(rule());
        const same = lastRunIn(later);
        later.rules.setFileRules(rule({ expect: { max: 9 } }));

        expect(before).toMatchObject({ status: 'Fail' });
        expect(same).toEqual(before);
        expect(lastRunIn(later)).toBeUndefined();
      });
    });

    it('drops the oldest evaluations beyond the maximum', async () => {
      const { evaluation_id: first } = await policies.evaluate();
      for (let i = 0; i < 100; i++) {
        world.nowMs++;
        await policies.evaluate({ ruleIds: ['plan9'] });
      }

      expect(policies.history.list()).toHaveLength(100);
      await expect(policies.history.get(first)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await world.open()).history.list()).toEqual(policies.history.list());
    });

    it('is rejected if too many evaluations wait', async () => {
      const runs = await Promise.allSettled(Array.from({ length: 20 }, () => policies.evaluate()));

      const refused = runs.filter(({ status }) => status === 'rejected');
      expect(refused.length).toBeGreaterThan(0);
      expect(refused[0]).toMatchObject({ reason: { code: 'TOO_BUSY' } });
    });
  });

  describe('posture', () => {
    it('has null scores and a note without rules', async () => {
      expect(await policies.posture()).toMatchObject({
        overall_score: null,
        weighted_score: null,
        rules_with_data: 0,
        rules_without_data: 0,
        evaluated_at: null,
        note: 'there are no rules',
      });
      expect(await policies.posture(CIS)).toMatchObject({
        framework: CIS,
        note: `no rule is mapped to ${CIS}`,
      });
    });

    it('is dated by its oldest rule, and counts the rules whose data may have changed since', async () => {
      await policies.rules.change(RULES, 'replace');
      const first = await policies.posture(CIS);
      world.nowMs += DAY_MS;
      world.snapshotVersion++;
      await policies.evaluate({ ruleIds: ['edr'] });

      const second = await policies.posture(CIS);
      const history = policies.scoreHistory(CIS, 1);

      expect([first.outdated_rules, second.outdated_rules]).toEqual([0, 2]);
      expect(second.evaluated_at).toBe(new Date(START_MS).toISOString());
      expect(history).toMatchObject({ evaluated_at: second.evaluated_at, outdated_rules: 2 });
      const [edr, mfa] = await policies.rated(['edr', 'mfa'].map((id) => policies.rules.get(id).rule));
      expect([edr?.last_run?.data_changed, mfa?.last_run?.data_changed]).toEqual([false, true]);
    });

    it('evaluates rules without a run, and scores by share and by weight', async () => {
      await policies.rules.change(RULES, 'replace');

      const posture = await policies.posture(CIS);

      expect(posture).toMatchObject({
        framework: CIS,
        overall_score: 1 / 3,
        weighted_score: 3 / 18,
        evaluated_at: new Date(START_MS).toISOString(),
        failing_rules: [
          { rule_id: 'mfa', status: 'Fail', violation_count: 1 },
          { rule_id: 'edr', status: 'Fail', violation_count: 2 },
        ],
      });
      expect(
        posture.controls.map(({ control_id, status, rule_count }) => [control_id, status, rule_count]),
      ).toEqual([
        ['1.1', 'NotMapped', 0],
        ['6.3', 'Fail', 1],
        ['6.10', 'Pass', 1],
        ['10.1', 'Partial', 2],
      ]);
    });

    it('of the framework `all` is that of all rules, as are its scores over time', async () => {
      await policies.rules.change(RULES, 'replace');

      expect(await policies.posture('all')).toEqual(await policies.posture());
      expect(policies.scores.history('all')).toEqual(policies.scores.history(undefined));
      expect(policies.scores.history('all')).toMatchObject({ framework: 'all', count: 1 });
    });

    it('does not repeat an evaluation of judged rules', async () => {
      await policies.rules.change(RULES, 'replace');
      await policies.posture(CIS);

      const again = await policies.posture(CIS);

      expect(again.overall_score).toBe(1 / 3);
      expect(policies.history.list()).toHaveLength(1);
    });

    it('has null scores for an empty graph, until there is data', async () => {
      world.data = { entities: [], relationships: [] };
      await policies.rules.change(RULES, 'replace');

      const empty = await policies.posture(CIS);
      world.data = FIXTURE;
      const unchanged = await policies.posture(CIS);
      world.snapshotVersion += 1;
      const filled = await policies.posture(CIS);

      expect(empty).toMatchObject({
        overall_score: null,
        weighted_score: null,
        rules_with_data: 0,
        rules_without_data: 3,
        failing_rules: [],
        note: 'no rule had data to judge',
      });
      expect(empty.controls.map(({ status, no_data_count: count }) => [status, count])).toEqual([
        ['NotMapped', 0],
        ['NoData', 1],
        ['NoData', 1],
        ['NoData', 2],
      ]);
      expect(unchanged.rules_with_data).toBe(0);
      expect(filled).toMatchObject({ overall_score: 1 / 3, rules_with_data: 3, rules_without_data: 0 });
    });

    it('excludes a rule without data from every score, and makes its controls partial', async () => {
      const frameworks = [{ framework: CIS, control: '6.10' }];
      const blind = { id: 'blind', severity: 'critical', query: 'FIND Hots', frameworks };
      await policies.rules.change([...RULES, ...rulesOf(blind)], 'replace');

      const posture = await policies.posture(CIS);

      expect(posture).toMatchObject({
        overall_score: 1 / 3,
        weighted_score: 3 / 18,
        rules_with_data: 3,
        rules_without_data: 1,
        by_severity: { critical: { total: 2, pass: 0, fail: 1, no_data: 1 } },
      });
      expect(posture.failing_rules.map(({ rule_id: id }) => id)).not.toContain('blind');
      expect(posture.controls.find(({ control_id: id }) => id === '6.10')).toMatchObject({
        status: 'Partial',
        rule_count: 2,
        pass_count: 1,
        fail_count: 0,
        no_data_count: 1,
      });
    });

    it('excludes a disabled rule from every score, list and control', async () => {
      const rule = { id: 'all', severity: 'critical', query: 'FIND host' };
      const frameworks = [{ framework: CIS, control: '1.1' }];
      await policies.rules.change([...RULES, ...rulesOf({ ...rule, frameworks })], 'merge');
      const enabled = await policies.posture(CIS);

      await policies.rules.change(rulesOf({ ...rule, frameworks, enabled: false }), 'merge');
      const posture = await policies.posture(CIS);

      expect(enabled).toMatchObject({ overall_score: 1 / 4, weighted_score: 3 / 28, rules_with_data: 4 });
      expect(posture).toMatchObject({
        overall_score: 1 / 3,
        weighted_score: 3 / 18,
        rules_with_data: 3,
        by_severity: { critical: { total: 1, pass: 0, fail: 1, no_data: 0 } },
      });
      expect(posture.failing_rules.map(({ rule_id: id }) => id)).toEqual(['mfa', 'edr']);
      expect(posture.controls[0]).toMatchObject({ control_id: '1.1', status: 'NotMapped', rule_count: 0 });
    });

    it('resolves no finding when the data disappears', async () => {
      await policies.rules.change(RULES, 'replace');
      const first = await policies.evaluate({ ruleIds: ['edr'] });
      world.nowMs += DAY_MS;
      world.data = { entities: [], relationships: [] };

      const second = await policies.evaluate({ ruleIds: ['edr'] });
      world.data = FIXTURE;
      const third = await policies.evaluate({ ruleIds: ['edr'] });

      expect([second.no_data, second.results[0]?.status]).toEqual([1, 'NoData']);
      expect(policies.history.list().map(({ resolved_count: count }) => count)).toEqual([0, 0, 0]);
      expect(third.results[0]?.violations).toEqual(first.results[0]?.violations);
    });

    it('counts an error as failed', async () => {
      await policies.rules.change(RULES, 'replace');

      const posture = await policies.posture();

      expect(posture.overall_score).toBe(1 / 4);
      expect(posture.by_severity.info).toEqual({ total: 1, pass: 0, fail: 1, no_data: 0, waived: 0 });
    });
  });

  describe('an exception that expires after the evaluation', () => {
    const EXPIRY_MS = START_MS + 4_000;
    const waivedRule = (more: object = {}): Rule[] =>
      rulesOf({
        id: 'exp',
        severity: 'critical',
        query: 'FIND host',
        frameworks: [{ framework: CIS, control: '1.1' }],
        exceptions: [{ match: '_key EXISTS', reason: 'x', expires: new Date(EXPIRY_MS).toISOString() }],
        ...more,
      });

    beforeEach(async () => {
      await policies.rules.change(
        [...waivedRule(), ...rulesOf({ id: 'other', query: 'FIND user' })],
        'replace',
      );
      await policies.evaluate({ ruleIds: ['exp'] });
    });

    it('is in force before its first instant of expiry, and makes a posture evaluate again from then on', async () => {
      world.nowMs = EXPIRY_MS - 1;
      const before = await policies.posture(CIS);
      world.nowMs = EXPIRY_MS;
      const after = await policies.posture(CIS);

      expect([before.overall_score, before.controls[0]?.status]).toEqual([1, 'Pass']);
      expect([after.overall_score, after.controls[0]?.status]).toEqual([0, 'Fail']);
      expect(after.failing_rules).toMatchObject([{ rule_id: 'exp', violation_count: 4 }]);
      expect(policies.history.list().map(({ trigger }) => trigger)).toEqual(['posture', 'request']);
    });

    it('leaves the rule without a last run until the next evaluation, after a restart too', async () => {
      const { rule } = policies.rules.get('exp');
      const before = policies.register.ofEntity(new Map());
      world.nowMs = EXPIRY_MS;
      const reopened = await world.open();

      expect(await policies.rated([rule])).toEqual([rule]);
      expect(await reopened.rated([rule])).toEqual([rule]);
      expect(policies.register.ofEntity(new Map())).toEqual({
        ...before,
        unknown_count: before.unknown_count + 1,
      });
    });

    it('makes the rule not evaluated in a score of that time', async () => {
      world.nowMs = EXPIRY_MS;
      await policies.evaluate({ ruleIds: ['other'] });

      const { points } = policies.scores.history(CIS);

      expect(points.map(({ overall_score: score }) => score)).toEqual([1, null]);
      expect(points.map(({ not_evaluated_count: count }) => count)).toEqual([0, 1]);
    });

    it('changes nothing if it has waived nothing', async () => {
      await policies.rules.change(waivedRule({ query: "FIND host WITH os = 'plan9'" }), 'merge');
      await policies.posture(CIS);
      const count = policies.history.list().length;
      world.nowMs = EXPIRY_MS;

      expect(await policies.posture(CIS)).toMatchObject({ overall_score: 1 });
      expect(policies.history.list()).toHaveLength(count);
    });
  });

  describe('scores over time', () => {
    it('have one point for each evaluation, including those of a posture, and none for a what-if', async () => {
      await policies.rules.change(RULES, 'replace');
      await policies.posture(CIS);
      for (const request of [{}, { params: { os: 'linux' } }, { ruleIds: ['edr'] }]) {
        world.nowMs += DAY_MS;
        await policies.evaluate(request);
      }

      const { points } = policies.scores.history(CIS);
      const reopened = await world.open();

      expect(points.map(({ trigger }) => trigger)).toEqual(['posture', 'request', 'request']);
      expect(points.at(-1)?.overall_score).toBe((await policies.posture(CIS)).overall_score);
      expect(policies.scores.history(undefined).points[0]?.not_evaluated_count).toBe(1);
      expect(reopened.scores.history(CIS)).toEqual(policies.scores.history(CIS));
    });

    it('have one point for a posture requested during an evaluation of its rules', async () => {
      await policies.rules.change(RULES, 'replace');

      await Promise.all([policies.evaluate({}, 'first_start'), policies.posture(), policies.posture(CIS)]);

      expect(policies.scores.history(undefined).points.map(({ trigger }) => trigger)).toEqual([
        'first_start',
      ]);
    });

    it('have no point for an evaluation that was not stored', async () => {
      await policies.rules.change(RULES, 'replace');
      world.documents.isBroken = true;

      const { not_stored } = await policies.evaluate();

      expect(not_stored).toBe('the disk is gone');
      expect(policies.scores.history(undefined).count).toBe(0);
    });
  });

  it('reports findings of a failed write as new in the next stored evaluation', async () => {
    await policies.rules.change(RULES, 'replace');
    world.documents.isBroken = true;
    await policies.evaluate();
    expect(world.opened).not.toEqual([]);
    world.opened.length = 0;
    world.documents.isBroken = false;
    world.nowMs += DAY_MS;

    const { results } = await policies.evaluate();

    const [edr] = results.find(({ rule_id: id }) => id === 'edr')?.violations ?? [];
    expect(world.opened).toEqual(['edr', 'edr', 'mfa']);
    expect(edr?.first_seen).toBe(new Date(world.nowMs).toISOString());
    expect([...world.documents.values.keys()]).toContain('findings/edr');
  });

  it('goes on with evaluations and posture in memory while the store takes no writes', async () => {
    await policies.rules.change(RULES, 'replace');
    await policies.evaluate();
    const before = await policies.posture();
    world.documents.isBroken = true;
    world.data = { entities: FIXTURE.entities.slice(0, 2), relationships: [] };
    world.snapshotVersion++;
    world.nowMs += DAY_MS;

    const evaluation = await policies.evaluate();
    const during = await policies.posture();

    expect(evaluation).toMatchObject({ not_stored: 'the disk is gone', total: RULES.length });
    expect(during).not.toEqual(before);
    expect(during.evaluated_at).toBe(new Date(world.nowMs).toISOString());
    expect(policies.history.list()).toHaveLength(1);
    const { overall_score: score, evaluated_at: at } = before;
    expect(await (await world.open()).posture()).toMatchObject({ overall_score: score, evaluated_at: at });
    world.documents.isBroken = false;
    expect(await policies.evaluate()).not.toHaveProperty('not_stored');
    expect(await (await world.open()).posture()).toMatchObject({
      overall_score: (await policies.posture()).overall_score,
    });
  });

  it('judges rules for a first posture while the store takes no writes', async () => {
    await policies.rules.change(RULES, 'replace');
    world.documents.isBroken = true;

    const posture = await policies.posture();
    const again = await policies.posture();

    expect(posture.evaluated_at).toBe(new Date(world.nowMs).toISOString());
    expect(again).toEqual(posture);
  });

  it('reports an error of a rule as news although an evaluation before it was not stored', async () => {
    await policies.rules.change(RULES, 'replace');
    world.documents.isBroken = true;
    await policies.evaluate();
    world.errors.length = 0;
    world.documents.isBroken = false;

    await policies.evaluate();

    expect(world.errors).toEqual(['broken']);
  });

  describe('reading findings', () => {
    it('returns current findings with first sightings, and stores nothing', async () => {
      await policies.rules.change(RULES, 'replace');
      await policies.evaluate({ ruleIds: ['edr'] });
      const stored = new Map(world.documents.values);
      world.nowMs += DAY_MS;

      const { status, findings, violation_count: count } = await policies.findings('edr');
      const { findings: uncounted } = await policies.findings('mfa', 1);

      expect([status, count, findings.map(({ first_seen: seen }) => seen)]).toEqual([
        'Fail',
        2,
        Array(2).fill(new Date(START_MS).toISOString()),
      ]);
      expect(uncounted.map(({ first_seen: seen }) => seen)).toEqual([null]);
      expect(world.documents.values).toEqual(stored);
      expect(policies.history.list().length).toBe(1);
    });

    it('returns the findings of each rule for an entity', async () => {
      await policies.rules.change(RULES, 'replace');
      const { unknown_count: unknownBefore } = policies.register.ofEntity(new Map());
      await policies.evaluate({ ruleIds: ['edr'] });
      world.nowMs += DAY_MS;
      await policies.evaluate({ ruleIds: ['edr'] });
      const { findings } = await policies.findings('edr');
      const found = (id: string | null) =>
        policies.register.ofEntity(policies.findingIds((field) => (field === '_id' ? id : undefined)));

      const told = findings.map(({ entity_id: id }) => found(id));

      expect(told.map(({ findings: ofOne }) => ofOne)).toEqual(
        findings.map(({ finding_id }) => [
          expect.objectContaining({
            finding_id,
            rule_id: 'edr',
            first_seen: new Date(START_MS).toISOString(),
            evaluated_at: new Date(START_MS + DAY_MS).toISOString(),
          }),
        ]),
      );
      expect(found('nowhere')).toEqual({ count: 0, unknown_count: unknownBefore - 1, findings: [] });
    });

    it('returns nothing for a disabled rule, and rejects an unknown one', async () => {
      await policies.rules.change(RULES, 'replace');

      expect(await policies.findings('off')).toMatchObject({ status: 'Skipped', findings: [] });
      await expect(policies.findings('none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });
});
