import { describe, expect, it } from '@jest/globals';
import { entity, FIXTURE, NaiveReader, relationship } from '#graph/testing';
import { parseRule } from '../rule/parse-rules.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import { jsonSource } from '../rule/rule-source.ts';
import { evaluateRule } from './evaluate-rule.ts';
import { FINDINGS_MAX, type RuleOutcome, type RuleTask } from './outcome.ts';

const NOW_MS = Date.UTC(2026, 5, 1);
const reader = new NaiveReader(FIXTURE);

function evaluate(rule: object, task: Partial<RuleTask> = {}, graph = reader): RuleOutcome {
  const parsed = parseRule(jsonSource({ id: 'r', ...rule }));
  const defaults = { params: {}, violationsMax: 100, timeoutMs: 10_000, nowMs: NOW_MS };
  return evaluateRule(createRuleEngine(), graph, { rule: parsed, ...defaults, ...task });
}

const keysOf = ({ violations }: RuleOutcome) => violations.map(({ key }) => key);

describe('a rule', () => {
  it('fails with the results of its query as violations', () => {
    const outcome = evaluate({ query: 'FIND host THAT !PROTECTS edr_agent', population: 'FIND host' });

    expect(outcome).toMatchObject({
      status: 'Fail',
      violationCount: 2,
      waivedCount: 0,
      population: { total: 4, passing: 2 },
      error: null,
    });
    expect(keysOf(outcome)).toEqual(['web-02', 'win-01']);
    expect(outcome.violations[0]?.finding_id).toBe(`r:${outcome.violations[0]?.entity_id}`);
  });

  it('passes when its query has no results', () => {
    expect(evaluate({ query: "FIND host WITH os = 'plan9'" })).toMatchObject({
      status: 'Pass',
      violationCount: 0,
    });
  });

  it('warns of names in its queries that the data does not have, once each', () => {
    const { status, warnings } = evaluate({
      query: "FIND Hots WITH ownr = 'alice'",
      population: 'FIND Hots',
    });
    const mismatch = evaluate({ query: "FIND host WITH cpu = '8'" });

    expect([status, warnings]).toEqual([
      'NoData',
      [{ code: 'UNKNOWN_CLASS', message: expect.stringContaining('`Hots`'), nearest: 'Host' }],
    ]);
    expect(mismatch).toMatchObject({ status: 'NoData', warnings: [{ code: 'TYPE_MISMATCH' }] });
    expect(evaluate({ query: 'FIND host' }).warnings).toEqual([]);
  });

  describe('over groups nested 14 deep', () => {
    const groups = Array.from({ length: 14 }, (_, at) =>
      entity('ad_group', 'UserGroup', `g${String(at + 1)}`),
    );
    const entities = [entity('ad_user', 'User', 'u1'), ...groups];
    const relationships = groups.map((group, at) => relationship(entities[at] ?? group, 'MEMBER_OF', group));
    const nested = new NaiveReader({ entities, relationships });
    const outcomeOf = (rule: object) => evaluate(rule, {}, nested);
    const blast = (more = '') => `FIND BLAST RADIUS FROM 'u1' VIA MEMBER_OF >>${more}`;

    it.each(['{1..}', '{2..}', '{0..}', '{1..50}'])('fails for a member by %s', (repeat) => {
      const query = `FIND ad_user THAT MEMBER_OF${repeat} >> ad_group WITH _key = 'g12'`;

      expect(outcomeOf({ query })).toMatchObject({ status: 'Fail', violationCount: 1, error: null });
    });

    it.each([{ max: 0 }, { max: 20 }, { min: 3 }, { rows: 4 }])(
      'is an error where the default depth cuts a blast radius, whatever it expects: %j',
      (expectation) => {
        const error = 'DEPTH_LIMIT: there are more results beyond depth 4: increase DEPTH to include them';

        expect(outcomeOf({ query: blast(), expect: expectation })).toMatchObject({
          status: 'Error',
          error,
          violationCount: 0,
          warnings: [{ code: 'DEPTH_LIMIT' }],
        });
      },
    );

    it('is an error where the default depth cuts its population', () => {
      const query = "FIND ad_group WITH _key = 'g99'";

      expect(outcomeOf({ query, population: blast() })).toMatchObject({ status: 'Error' });
    });

    it('is judged within the depth that it states', () => {
      expect(outcomeOf({ query: blast(' DEPTH 3'), expect: { max: 3 } })).toMatchObject({
        status: 'Pass',
        warnings: [],
      });
      expect(outcomeOf({ query: blast(' DEPTH 20') })).toMatchObject({ status: 'Fail', violationCount: 14 });
    });
  });

  it('counts its entities independent of RETURN', () => {
    const outcome = evaluate({
      query: 'FIND user AS u THAT ASSIGNED role AS r RETURN r._key, COUNT(*) ORDER BY r._key',
    });

    expect(keysOf(outcome)).toEqual(['alice', 'bob', 'carol']);
  });

  it('has groups as violations if its query is grouped', () => {
    const query = 'FIND Host GROUP BY region HAVING count > 2';

    const { violationCount, violations } = evaluate({ query });

    expect(violationCount).toBe(1);
    expect(violations[0]).toMatchObject({ entity_id: null, keys: ['us-east-1'], display_name: 'us-east-1' });
  });

  it('labels entities by type and key, with a display name that is another', () => {
    const graph = new NaiveReader({
      entities: [{ ...entity('user', 'User', 'u-1'), displayName: 'Ann' }, entity('user', 'User', 'bob')],
      relationships: [],
    });

    expect(evaluate({ query: 'FIND user' }, {}, graph).sightings.labels).toEqual([
      'user bob',
      'user Ann (u-1)',
    ]);
  });

  it('labels groups by their keys, as JSON except for text', () => {
    const { violations } = evaluate({ query: 'FIND host GROUP BY owner, env' });

    expect(violations.map(({ display_name: name }) => name)).toEqual(
      expect.arrayContaining(['alice,prod', 'null,dev', 'null,prod']),
    );
  });

  it('throws on an internal defect instead of reporting an error of the rule', () => {
    const broken = new NaiveReader(FIXTURE);
    broken.select = () => {
      throw new TypeError('a defect');
    };
    const rule = parseRule(jsonSource({ id: 'r', query: 'FIND host' }));
    const task = { rule, params: {}, violationsMax: 100, timeoutMs: 10_000, nowMs: NOW_MS };

    expect(() => evaluateRule(createRuleEngine(), broken, task)).toThrow(TypeError);
  });

  it('has the first entity of a path as its violation', () => {
    const outcome = evaluate({ query: "FIND SHORTEST PATH FROM user WITH _key = 'alice' TO secret" });

    expect(keysOf(outcome)).toEqual(['alice']);
  });

  it('shows waived violations without counting them', () => {
    const exceptions = [{ match: "_key = 'win-01'", reason: 'lab', approver: 'eve', expires: '2027-01-01' }];

    const outcome = evaluate({ query: 'FIND host THAT !PROTECTS edr_agent', exceptions });

    expect(outcome).toMatchObject({ status: 'Fail', violationCount: 1, waivedCount: 1 });
    expect(outcome.violations.map(({ key, waived }) => [key, waived])).toEqual([
      ['web-02', undefined],
      ['win-01', { reason: 'lab', approver: 'eve', expires: '2027-01-01' }],
    ]);
  });

  it('waives a result once, by the first matching exception', () => {
    const lab = { match: "_key = 'win-01'", reason: 'lab' };
    const windows = { match: "os = 'windows'", reason: 'windows' };
    const query = 'FIND host THAT !PROTECTS edr_agent';

    const one = evaluate({ query, exceptions: [lab, windows] });
    const other = evaluate({ query, exceptions: [windows, lab] });

    expect([one, other].map(({ violationCount, waivedCount }) => [violationCount, waivedCount])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect([one, other].map(({ violations }) => violations[1]?.waived)).toEqual([
      { reason: 'lab' },
      { reason: 'windows' },
    ]);
  });

  it('waives a result by the next matching exception after the first has expired', () => {
    const exceptions = [
      { match: "_key = 'win-01'", reason: 'lab', expires: '2026-05-31' },
      { match: "os = 'windows'", reason: 'windows' },
    ];

    const { waivedCount, violations } = evaluate({ query: 'FIND host THAT !PROTECTS edr_agent', exceptions });

    expect([waivedCount, violations[1]?.waived]).toEqual([1, { reason: 'windows' }]);
  });

  it('waives groups by a HAVING condition', () => {
    const exceptions = [{ match: 'count < 3', reason: 'small' }];

    const outcome = evaluate({ query: 'FIND Host GROUP BY region HAVING count > 1', exceptions });

    expect([outcome.violationCount, outcome.waivedCount]).toEqual([1, 1]);
  });

  it.each([
    ["onwer != 'alice'", [], 0],
    ["onwer = 'alice'", [], 0],
    ["os = 'windows' OR onwer != 'alice'", [], 0],
    ["NOT (_class = 'Hots')", [], 0],
    ["cpu != 'many'", [], 0],
    ["onwer != 'alice'", ['onwer'], 2],
    ["ownr != 'alice' AND os != 'plan9'", ['ownr'], 2],
  ])(
    'waives nothing by %s if only %j may be absent, since no entity has the word',
    (match, may_be_absent, waived) => {
      const query = 'FIND host THAT !PROTECTS edr_agent';

      const outcome = evaluate({ query, may_be_absent, exceptions: [{ match, reason: 'lab' }] });

      expect([outcome.waivedCount, outcome.status]).toEqual([waived, waived === 0 ? 'Fail' : 'Pass']);
      expect(outcome.warnings.some(({ message }) => message.includes('"lab" waives nothing'))).toBe(
        waived === 0,
      );
    },
  );

  it('stops waiving at the expiry of the exception', () => {
    const exceptions = [{ match: "_key = 'win-01'", reason: 'lab', expires: '2026-06-01' }];
    const query = 'FIND host THAT !PROTECTS edr_agent';

    expect(evaluate({ query, exceptions }, { nowMs: NOW_MS - 1 }).violationCount).toBe(1);
    expect(evaluate({ query, exceptions }, { nowMs: NOW_MS }).violationCount).toBe(2);
  });

  it.each([
    [{ rows: 4 }, 'Pass', 4],
    [{ rows: 5 }, 'Fail', 1],
    [{ rows: 3 }, 'Fail', 4],
    [{ max: 4 }, 'Pass', 4],
    [{ max: 3 }, 'Fail', 4],
    [{ min: 4 }, 'Pass', 0],
    [{ min: 6 }, 'Fail', 2],
  ])(
    'with expectation %j and 4 results has status %s and %i violations',
    (expectation, status, violationCount) => {
      expect(evaluate({ query: 'FIND host', expect: expectation })).toMatchObject({ status, violationCount });
    },
  );

  it('uses the parameters of the evaluation, and its own defaults', () => {
    const rule = {
      query: 'FIND Host WITH env = $env',
      parameters: { env: { type: 'string', default: 'prod' } },
    };

    expect(evaluate(rule).violationCount).toBe(3);
    expect(evaluate(rule, { params: { env: 'dev' } }).violationCount).toBe(2);
  });

  it('has status Error if a parameter is missing', () => {
    const rule = { query: 'FIND Host WITH env = $env', parameters: { env: { type: 'string' } } };

    expect(evaluate(rule)).toMatchObject({
      status: 'Error',
      error: expect.stringMatching(/^MISSING_PARAMETER/),
    });
  });

  it('has status Error after its time-out', () => {
    const outcome = evaluate({ query: 'FIND host' }, { timeoutMs: -1 });

    expect(outcome).toMatchObject({ status: 'Error', error: expect.stringMatching(/^QUERY_TIMEOUT/) });
  });

  it('shows at most the requested number of violations, and counts all', () => {
    const outcome = evaluate({ query: 'FIND *' }, { violationsMax: 2 });

    expect([outcome.violations.length, outcome.violationCount]).toEqual([2, FIXTURE.entities.length]);
    expect(outcome.sightings.findingIds.length).toBe(FIXTURE.entities.length);
  });

  it.each([
    [FINDINGS_MAX, true],
    [FINDINGS_MAX + 1, false],
  ])('with %i results has complete sightings: %s', (count, isComplete) => {
    const entities = Array.from({ length: count }, (_, at) => entity('host', 'Host', `h${at}`));
    const rule = parseRule(jsonSource({ id: 'r', query: 'FIND host' }));
    const task = { rule, params: {}, violationsMax: 1, timeoutMs: 60_000, nowMs: NOW_MS };

    const outcome = evaluateRule(createRuleEngine(), new NaiveReader({ entities, relationships: [] }), task);

    expect([outcome.violationCount, outcome.isComplete]).toEqual([count, isComplete]);
    expect(outcome.sightings.findingIds).toHaveLength(FINDINGS_MAX);
  });

  it('recognizes a finding by its identity', () => {
    const [first, second] = evaluate({ query: "FIND Host WITH env = 'dev'", identity: ['env'] }).violations;

    expect(first?.finding_id).toBe(second?.finding_id);
    expect(first?.finding_id).toMatch(/^r:[0-9a-f]{32}$/);
  });

  it('keeps findings with a mistyped identity apart, and warns', () => {
    const { violations, warnings } = evaluate({
      query: "FIND Host WITH env = 'dev'",
      identity: ['regoin'],
    });

    expect(new Set(violations.map(({ finding_id: id }) => id)).size).toBe(2);
    expect(warnings).toEqual([
      { code: 'UNKNOWN_PROPERTY', message: expect.stringContaining('`regoin`'), nearest: 'region' },
    ]);
  });
});

describe('a rule without results', () => {
  const statusOf = (rule: object) => evaluate(rule).status;

  it.each([
    ['a class', 'FIND Hots', 'Hots'],
    ['a type of an end', "FIND host THAT RUNS servise WITH name = 'nginx'", 'servise'],
    ['a verb', 'FIND host THAT RUNNS service', 'RUNNS'],
    ['a property', "FIND host WITH stat = 'gone'", 'stat'],
    ['a property of another class', 'FIND host WITH email EXISTS', 'email'],
    ['all alternatives', "FIND host WITH osx = 'a' OR stat = 'b'", 'osx'],
    ['an optional end required by WHERE', 'FIND host (THAT RUNS servise AS s)? WHERE s EXISTS', 'servise'],
    ['an end of a path', "FIND SHORTEST PATH FROM user WITH _key = 'alice' TO secrte", 'secrte'],
    ['a verb of a path', 'FIND SHORTEST PATH FROM user TO secret VIA OWNZ', 'OWNZ'],
    ['a verb of a blast radius', 'FIND BLAST RADIUS FROM host VIA DEPENDZ', 'DEPENDZ'],
  ])('has no data when %s is missing: %s', (_what, query, word) => {
    const { status, warnings } = evaluate({ query });

    expect(status).toBe('NoData');
    expect(warnings.map(({ message }) => message).join()).toContain(`\`${word}\``);
  });

  it.each([
    ['nothing is missing', "FIND host WITH os = 'plan9'"],
    ['the missing name is in a negated part', "FIND host WITH os = 'plan9' THAT !PROTECTZ edr_agnet"],
    ['the condition is negated', "FIND host WITH os = 'plan9' AND NOT stat = 'x'"],
    ['the condition is !=', "FIND host WITH os = 'plan9' AND stat != 'x'"],
    ['another alternative is known', "FIND (host|Hots) WITH os = 'plan9'"],
    ['another verb is known', "FIND host WITH os = 'plan9' THAT (RUNS|RUNNS) service"],
    ['another field is known', "FIND host WITH os = 'plan9' OR stat = 'gone'"],
    ['the part is optional', "FIND host WITH os = 'plan9' (THAT RUNS servise)?"],
  ])('passes when %s', (_what, query) => {
    expect(statusOf({ query })).toBe('Pass');
  });

  it('checks names against the data, not the vocabulary', () => {
    expect(statusOf({ query: "FIND Account WITH name = 'x'" })).toBe('NoData');
  });

  it('has no data if its population is empty, with any expectation', () => {
    const population = "FIND host WITH os = 'plan9'";

    expect(statusOf({ query: `${population} AND cpu > 3`, population })).toBe('NoData');
    expect(statusOf({ query: population, population, expect: { min: 1 } })).toBe('NoData');
  });

  it('has no data in an empty graph', () => {
    const empty = new NaiveReader({ entities: [], relationships: [] });
    const rule = parseRule(jsonSource({ id: 'r', query: 'FIND *', expect: { min: 1 } }));
    const task = { rule, params: {}, violationsMax: 100, timeoutMs: 10_000, nowMs: NOW_MS };

    expect(evaluateRule(createRuleEngine(), empty, task).status).toBe('NoData');
    expect(evaluateRule(createRuleEngine(), empty, { ...task, needsData: false }).status).toBe('Fail');
  });

  it('fails if it expects more results, even if a name is missing', () => {
    expect(evaluate({ query: 'FIND Hots', expect: { min: 2 } })).toMatchObject({
      status: 'Fail',
      violationCount: 2,
    });
  });

  it('passes if the missing name is in may_be_absent', () => {
    const query = 'FIND host THAT RUNS malware';

    expect(statusOf({ query })).toBe('NoData');
    expect(statusOf({ query, may_be_absent: ['malware'] })).toBe('Pass');
    expect(statusOf({ query: 'FIND host THAT infects host', may_be_absent: ['INFECTS'] })).toBe('Pass');
  });
});
