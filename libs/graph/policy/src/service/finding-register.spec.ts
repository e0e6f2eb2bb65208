import { beforeEach, describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { FINDINGS_MAX } from '../evaluation/outcome.ts';
import { PolicyWorld, rulesOf, START_MS } from '../../test/policy-world.ts';
import type { FindingFilter, FindingOrder } from './finding-filter.ts';
import type { Policies } from './policies.ts';

const DAY_MS = 86_400_000;
const CIS = 'CIS-Controls-v8';
const EDR = {
  id: 'edr',
  name: 'Hosts without EDR',
  severity: 'high',
  query: 'FIND host THAT !PROTECTS edr_agent',
  frameworks: [{ framework: CIS, control: '10.1' }],
};
const MFA = { id: 'mfa', severity: 'critical', query: 'FIND user WITH mfa_enabled = false' };
const WEB_02 = `edr:${entityId('host', 'web-02')}`;
const WIN_01 = `edr:${entityId('host', 'win-01')}`;
const BOB = `mfa:${entityId('user', 'bob')}`;
const BY_SEVERITY: FindingOrder = { by: 'severity', isDescending: false };
const PAGE = { offset: 0, limit: 100 };

function dayText(days: number): string {
  return new Date(START_MS + days * DAY_MS).toISOString();
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof DomainError ? error.message : String(error)),
  );
}

describe('findings of all rules', () => {
  let world: PolicyWorld;
  let policies: Policies;

  const waive = (findingId: string, more: object = {}): Promise<unknown> =>
    policies.register.decide(
      findingId,
      { state: 'waived', reason: 'a lab', until: dayText(30), ...more },
      'alice',
    );
  const listed = (filter: FindingFilter = {}, order = BY_SEVERITY) =>
    policies.register.found().page(filter, order, PAGE);
  const idsOf = (filter: FindingFilter, order?: FindingOrder) =>
    listed(filter, order).findings.map(({ finding_id: id }) => id);
  const lastRunOf = async (rule: string) => {
    const [rated] = await policies.rated([policies.rules.get(rule).rule]);
    return rated?.last_run;
  };
  const counts = async (rule: string) => {
    const { status, violation_count, waived_count } = (await lastRunOf(rule)) ?? {};
    return [status, violation_count, waived_count];
  };

  beforeEach(async () => {
    world = new PolicyWorld();
    policies = await world.open();
    await policies.rules.change(rulesOf(EDR, MFA), 'replace');
    await policies.evaluate();
  });

  it('are listed worst first, with their rules and entities', () => {
    const { count, states, unknown_count, classes, findings } = listed();

    expect([count, states, unknown_count]).toEqual([3, { open: 3, waived: 0, accepted: 0 }, 0]);
    expect(classes).toEqual(['Host', 'User']);
    expect(findings.map(({ finding_id: id }) => id)).toEqual([BOB, WEB_02, WIN_01]);
    expect(findings[1]).toMatchObject({
      rule_id: 'edr',
      name: 'Hosts without EDR',
      severity: 'high',
      label: 'host web-02',
      entity_id: entityId('host', 'web-02'),
      state: 'open',
      first_seen: dayText(0),
      opened_at: dayText(0),
      rule_status: 'Fail',
    });
  });

  it.each<[string, FindingFilter, readonly string[]]>([
    ['a severity', { severities: ['critical'] }, [BOB]],
    ['a rule', { ruleId: 'edr' }, [WEB_02, WIN_01]],
    ['a class', { class: 'User' }, [BOB]],
    ['a state', { states: ['waived'] }, [WEB_02]],
    ['nobody', { assignee: null }, [WEB_02, WIN_01]],
    ['an assignee', { assignee: 'carol' }, [BOB]],
    ['a text of the label', { text: 'WIN' }, [WIN_01]],
    ['a text of the rule', { text: 'without' }, [WEB_02, WIN_01]],
    ['a time', { openedSinceMs: START_MS + 1 }, []],
    ['a time before', { openedBeforeMs: START_MS + 1 }, [BOB, WEB_02, WIN_01]],
  ])('are filtered by %s', async (_what, filter, expected) => {
    await waive(WEB_02);
    await policies.register.assign(BOB, 'carol', 'alice');

    expect(idsOf(filter)).toEqual(expected);
  });

  it('are counted in every state, whatever the state asked for', async () => {
    await waive(WEB_02, { state: 'accepted' });

    const { count, states } = listed({ states: ['accepted'] });

    expect([count, states]).toEqual([1, { open: 2, waived: 0, accepted: 1 }]);
  });

  it('are ordered by assignee, unassigned ones last in both directions', async () => {
    await policies.register.assign(WIN_01, 'carol', 'alice');
    await policies.register.assign(BOB, 'dave', 'alice');

    expect(idsOf({}, { by: 'assignee', isDescending: false })).toEqual([WIN_01, BOB, WEB_02]);
    expect(idsOf({}, { by: 'assignee', isDescending: true })).toEqual([BOB, WIN_01, WEB_02]);
  });

  it('of a rule in error stay listed, and the rule is counted as unknown', async () => {
    await policies.rules.change(rulesOf({ ...MFA, id: 'bad', query: 'FIND user WITH _key =~ $p', parameters: { p: { type: 'string', default: '[' } } }), 'merge'); // prettier-ignore
    await policies.evaluate();

    expect(listed().unknown_count).toBe(1);
  });

  it('of a rule with more than are kept are cut, and the rule is counted as unknown', async () => {
    const host = world.data.entities.find(({ type }) => type === 'host');
    if (host === undefined) throw new Error('the fixture has a host');
    const entities = Array.from({ length: FINDINGS_MAX + 1 }, (_, at) => ({ ...host, key: `h${at}` }));
    world.data = { entities, relationships: [] };
    const absent = { id: 'absent', severity: 'low', query: 'FIND user', may_be_absent: ['user'] };
    const few = { ...absent, id: 'few', expect: { min: FINDINGS_MAX + 2 } };
    await policies.rules.change(rulesOf({ ...MFA, id: 'all', query: 'FIND host' }, few), 'replace');
    await policies.evaluate();

    const { count, unknown_count } = listed();

    expect([count, unknown_count]).toEqual([FINDINGS_MAX, 1]);
  });

  describe('that are waived', () => {
    beforeEach(async () => {
      await waive(WEB_02);
    });

    it('show the decision at once', () => {
      expect(policies.register.get(WEB_02)).toMatchObject({
        state: 'waived',
        waiver: { reason: 'a lab', by: 'alice', until: dayText(30), at: dayText(0), origin: 'decision' },
      });
    });

    it('are not counted by the next posture, which evaluates their rule again', async () => {
      await policies.posture();

      expect(await counts('edr')).toEqual(['Fail', 1, 1]);
      expect(policies.history.list()[0]).toMatchObject({ trigger: 'posture', total: 1 });
    });

    it('stay waived over evaluations and a restart', async () => {
      await policies.evaluate();
      policies = await world.open();
      await policies.evaluate();

      expect(policies.register.get(WEB_02).state).toBe('waived');
      expect(await counts('edr')).toEqual(['Fail', 1, 1]);
    });

    it('make a rule that has no others neither pass nor fail in a posture', async () => {
      await waive(WIN_01, { state: 'accepted' });

      const posture = await policies.posture(CIS);

      expect(posture).toMatchObject({ overall_score: null, rules_with_data: 1, rules_waived: 1 });
      expect(posture.note).toBe('the findings of every rule with data are waived');
      expect(posture.controls).toMatchObject([
        { status: 'Waived', pass_count: 0, fail_count: 0, waived_count: 1 },
      ]);
      expect(await lastRunOf('edr')).toMatchObject({ is_waived: true });
    });

    it('leave the other rules in the score', async () => {
      await waive(WIN_01);

      expect(await policies.posture()).toMatchObject({
        overall_score: 0,
        rules_with_data: 2,
        rules_waived: 1,
      });
    });

    it('are open again when the time is over, and news of the next evaluation', async () => {
      await policies.evaluate();
      world.openedIds.length = 0;
      world.nowMs = START_MS + 30 * DAY_MS;

      const expired = policies.register.get(WEB_02);
      const anew = policies.register.decidedAnew();
      await policies.evaluate();

      expect(expired).toMatchObject({
        state: 'open',
        opened_at: dayText(30),
        lapsed: { why: 'expired', by: 'alice' },
      });
      expect(anew).toEqual(['edr']);
      expect([world.openedIds, await counts('edr')]).toEqual([[WEB_02], ['Fail', 2, 0]]);
      expect(idsOf({ openedSinceMs: START_MS + DAY_MS })).toEqual([WEB_02]);
    });

    it('are open again after the end of the decision, and news of the next evaluation', async () => {
      await policies.evaluate();
      world.openedIds.length = 0;

      const { state, lapsed } = await policies.register.reopen(WEB_02);
      await policies.evaluate();

      expect([state, lapsed, world.openedIds]).toEqual(['open', undefined, [WEB_02]]);
      expect(await codeOf(policies.register.reopen(WEB_02))).toBe('nothing is decided about the finding');
    });

    it('are open again while the rule asks another question, and waived when it asks this one again', async () => {
      await policies.rules.change(
        rulesOf({ ...EDR, query: EDR.query.replace('host', '(host|user)') }),
        'merge',
      );
      await policies.evaluate();
      const changed = policies.register.get(WEB_02);
      await policies.rules.change(rulesOf({ ...EDR, severity: 'low', remediation: 'Deploy it.' }), 'merge');
      await policies.evaluate();

      expect(changed).toMatchObject({ state: 'open', lapsed: { why: 'rule_changed' } });
      expect(policies.register.get(WEB_02)).toMatchObject({ state: 'waived', severity: 'low' });
    });

    it('are forgotten with their rule', async () => {
      await policies.rules.remove('edr');
      await policies.rules.change(rulesOf(EDR), 'merge');
      await policies.evaluate();

      expect(policies.register.get(WEB_02).state).toBe('open');
      expect([...world.documents.values.keys()].filter((id) => id.startsWith('decision/'))).toEqual([]);
    });

    it('keep the rest of the findings of their rule new once', async () => {
      await policies.evaluate();
      await policies.evaluate();

      expect(world.openedIds.sort()).toEqual([BOB, WEB_02, WIN_01].sort());
    });
  });

  it('waived since their first sighting are no news, neither when they open nor when they go', async () => {
    const exceptions = [{ match: "_key = 'web-02'", reason: 'a lab' }];
    await policies.rules.change(rulesOf({ ...EDR, id: 'lab', exceptions }), 'merge');
    await policies.evaluate();
    world.without('web-02');
    await policies.evaluate();

    const ofLab = (ids: readonly string[]) => ids.filter((id) => id.startsWith('lab:'));
    expect([ofLab(world.openedIds), ofLab(world.resolvedIds)]).toEqual([
      [`lab:${entityId('host', 'win-01')}`],
      [],
    ]);
  });

  it('waived by an exception of the rule are shown as such, and pass as before', async () => {
    const exceptions = [{ match: '_key EXISTS', reason: 'a lab', approver: 'dave', expires: '2027-01-01' }];
    await policies.rules.change(rulesOf({ ...EDR, exceptions }), 'merge');

    const posture = await policies.posture(CIS);

    expect(policies.register.get(WEB_02).waiver).toEqual({
      reason: 'a lab',
      by: 'dave',
      until: '2027-01-01',
      at: null,
      origin: 'rule',
    });
    expect(posture).toMatchObject({ overall_score: 1, rules_waived: 0, controls: [{ status: 'Pass' }] });
  });

  it.each<[string, object]>([
    ['until: expected a time in the future', { until: dayText(-1) }],
    ['until: expected a time within 366 days', { until: dayText(367) }],
    ['until: expected a date such as 2027-01-31, or an RFC 3339 instant with its offset', { until: 'soon' }],
    ['reason: expected a text, got an empty one', { reason: '  ' }],
    ['reason: expected a text of at most 1000 characters', { reason: 'x'.repeat(1_001) }],
  ])('are not waived with a fault: %s', async (message, more) => {
    expect(await codeOf(waive(WEB_02, more))).toBe(message);
    expect(policies.register.get(WEB_02).state).toBe('open');
  });

  it.each(['edr:0123', 'nothing', 'mfa', ''])('are not found by the id "%s"', async (id) => {
    expect(await codeOf(waive(id))).toBe('the last run of its rule has no such finding');
  });

  it('are assigned to one person at a time, without a change of what is decided', async () => {
    await waive(WEB_02);

    await policies.register.assign(WEB_02, 'carol', 'alice');
    const given = await policies.register.assign(WEB_02, 'dave', 'bob');
    const taken = await policies.register.assign(WEB_02, null, 'bob');

    expect(given).toMatchObject({ state: 'waived', assignment: { assignee: 'dave', by: 'bob' } });
    expect([taken.state, taken.assignment]).toEqual(['waived', undefined]);
  });

  it('keep what two people change at the same time', async () => {
    await Promise.all([waive(WEB_02), policies.register.assign(WEB_02, 'carol', 'bob'), waive(WIN_01)]);

    const reopened = await world.open();

    expect(reopened.register.get(WEB_02)).toMatchObject({
      state: 'waived',
      assignment: { assignee: 'carol' },
    });
    expect(reopened.register.get(WIN_01).state).toBe('waived');
  });
});
