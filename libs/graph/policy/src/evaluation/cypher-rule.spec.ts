import { describe, expect, it } from '@jest/globals';
import { ReadingStatement } from '#graph/cypher';
import { FIXTURE, NaiveReader } from '#graph/testing';
import { systemClock } from '#platform/foundation';
import { parseRule } from '../rule/parse-rules.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import { jsonSource, yamlSource } from '../rule/rule-source.ts';
import type { Rule } from '../rule/rule.ts';
import { outcomeFootprint } from '../service/kept-outcomes.ts';
import { evaluateRule } from './evaluate-rule.ts';
import type { RuleOutcome, RuleTask } from './outcome.ts';
import { proofOf } from './proof-query.ts';

const NOW_MS = Date.UTC(2026, 5, 1);
const reader = new NaiveReader(FIXTURE);

function ruleOf(rule: object): Rule {
  return parseRule(jsonSource({ id: 'r', ...rule }));
}

function evaluate(rule: object, task: Partial<RuleTask> = {}): RuleOutcome {
  const defaults = { params: {}, violationsMax: 100, timeoutMs: 10_000, nowMs: NOW_MS };
  return evaluateRule(createRuleEngine(), reader, { rule: ruleOf(rule), ...defaults, ...task });
}

const keysOf = ({ violations }: RuleOutcome) => violations.map(({ key }) => key).sort();
const UNPROTECTED = 'MATCH (h:host) WHERE NOT (h)<-[:PROTECTS]-(:edr_agent) RETURN h';

describe('a rule in Cypher', () => {
  it('has the outcome of the same rule in PQL, with the same findings', () => {
    const outcome = evaluate({ cypher: UNPROTECTED, population: 'MATCH (h:host) RETURN h' });
    const inPql = evaluate({ query: 'FIND host THAT !PROTECTS edr_agent', population: 'FIND host' });

    expect({ ...outcome, durationMs: 0 }).toEqual({ ...inPql, durationMs: 0 });
  });

  it('finds each entity once, whatever else the rows show', () => {
    const cypher = 'MATCH (s:service)<-[r:RUNS]-(h:host) RETURN s, r, h';

    expect(keysOf(evaluate({ cypher }))).toEqual(['nginx', 'postgres']);
  });

  it('finds the start of a path', () => {
    const outcome = evaluate({ cypher: 'MATCH p = (:host)-[:RUNS]->()-[:CONNECTS]->(:service) RETURN p' });

    expect(keysOf(outcome)).toEqual(['web-01', 'web-02']);
  });

  it('finds groups where the first column has no nodes', () => {
    const outcome = evaluate({
      cypher: 'MATCH (h:host) WITH h.env AS env, count(*) AS n WHERE n > 1 RETURN env, n',
    });

    expect(outcome).toMatchObject({ status: 'Fail', violationCount: 1 });
    expect(outcome.violations[0]).toMatchObject({
      entity_id: null,
      keys: ['prod', 3],
      display_name: 'prod,3',
    });
  });

  it('takes the defaults of its parameters', () => {
    const rule = {
      cypher: 'MATCH (h:host) WHERE h.env = $env RETURN h',
      parameters: { env: { type: 'string', default: 'dev' } },
    };

    expect(keysOf(evaluate(rule))).toEqual(['win-01']);
    expect(keysOf(evaluate(rule, { params: { env: 'prod' } }))).toEqual(['db-01', 'web-01', 'web-02']);
  });

  it('waives a result only if each of its rows meets the condition', () => {
    const outcome = evaluate({
      cypher: 'MATCH (s:service)<-[:RUNS]-(h:host) RETURN s, h',
      exceptions: [{ match: "h.state = 'running'", reason: 'known' }],
    });

    expect(outcome).toMatchObject({ violationCount: 1, waivedCount: 1 });
    expect(outcome.violations).toMatchObject([
      { key: 'nginx' },
      { key: 'postgres', waived: { reason: 'known' } },
    ]);
  });

  it('waives nothing by a condition on what no entity has, even under a negation', () => {
    const outcome = evaluate({
      cypher: UNPROTECTED,
      exceptions: [{ match: "NOT h.envv = 'prod'", reason: 'slip' }],
    });

    expect(outcome).toMatchObject({ status: 'Fail', violationCount: 2, waivedCount: 0 });
    expect(outcome.warnings).toMatchObject([{ code: 'UNKNOWN_PROPERTY', nearest: 'env' }]);
  });
});

describe('a rule in Cypher without results', () => {
  it.each([
    "MATCH (h:host) WHERE h.os = 'plan9' RETURN h",
    "MATCH (h:host {os: 'plan9'}) RETURN h",
    "MATCH (h:host) WHERE h.os = 'plan9' AND NOT h:deprecated RETURN h",
    "MATCH (h:host) WHERE h.os = 'plan9' AND h.retired IS NULL RETURN h",
    "MATCH (h:host) WHERE h.os = 'plan9' OR h.flavour = 'x' RETURN h",
    "MATCH (h:hots|host) WHERE h.os = 'plan9' RETURN h",
    "MATCH (h:host) WHERE h.os = 'plan9' AND NOT EXISTS { (h)-[:HIRES]->(:clown) } RETURN h",
    "MATCH (h:host) WHERE h.os = 'plan9' AND coalesce(h.retired, false) = false RETURN h",
    "MATCH (h:host) WHERE h.os = 'plan9' RETURN h, h.flavour",
    "MATCH (h:host) ((:hots)-[:RUNS]->())* (s {os: 'plan9'}) RETURN h",
    "MATCH (h:host)-[:RUNS*0.. {since: 1}]->(s {os: 'plan9'}) RETURN h",
  ])('passes where the data has what it asks for: %s', (cypher) => {
    expect(evaluate({ cypher })).toMatchObject({ status: 'Pass', violationCount: 0 });
  });

  it.each([
    ['MATCH (h:hots) RETURN h', 'UNKNOWN_CLASS'],
    ['MATCH (h:hots|hosst) RETURN h', 'UNKNOWN_CLASS'],
    ['MATCH (h:host)-[:RUNZ]->() RETURN h', 'UNKNOWN_VERB'],
    ["MATCH (h:host) WHERE h.flavour = 'x' RETURN h", 'UNKNOWN_PROPERTY'],
    ["MATCH (h:host {flavour: 'x'}) RETURN h", 'UNKNOWN_PROPERTY'],
    // Other entities have it.
    ['MATCH (h:host) WHERE h.public = true RETURN h', 'UNKNOWN_PROPERTY'],
    ['MATCH (h:host) WHERE NOT h.public = true RETURN h', 'UNKNOWN_PROPERTY'],
    ['MATCH (h:host) WITH h AS x WHERE x.public RETURN x', 'UNKNOWN_PROPERTY'],
    ['MATCH (h:host)-[r:RUNS]->() WHERE r.since > 3 RETURN h', 'UNKNOWN_PROPERTY'],
    ['MATCH (h:host) WHERE h.flavour IS NOT NULL RETURN h', 'UNKNOWN_PROPERTY'],
    ['MATCH (h:host) WHERE EXISTS { (h)-->(:clown) } RETURN h', 'UNKNOWN_CLASS'],
    ['MATCH (h:host) OPTIONAL MATCH (h)-->(c:clown) WITH h, c WHERE c.os = 1 RETURN h', 'UNKNOWN_CLASS'],
    ["MATCH (s:service) WHERE s.port = '443' RETURN s", 'TYPE_MISMATCH'],
    ['MATCH (h:host) ((:hots)-[:RUNS]->())+ (s) RETURN h', 'UNKNOWN_CLASS'],
    ['MATCH (h:host) (()-[:RUNZ]->())+ (s) RETURN h', 'UNKNOWN_VERB'],
    ['MATCH (h:host) ((x:host)-[:RUNS]->(y) WHERE x.public)+ (s) RETURN h', 'UNKNOWN_PROPERTY'],
    ['MATCH (h:host) ((x:host {public: true})-[:RUNS]->(y))+ (s) RETURN h', 'UNKNOWN_PROPERTY'],
    ['MATCH (h:host)-[:RUNZ]->+(s) RETURN h', 'UNKNOWN_VERB'],
    ['MATCH SHORTEST 1 ((h:host)-[:RUNS]->+(s:service) WHERE h.public) RETURN h', 'UNKNOWN_PROPERTY'],
    ['MATCH SHORTEST 1 (h:host)-[:RUNS]->+(s:servis) RETURN h', 'UNKNOWN_CLASS'],
  ])('has no data where a name is missing: %s', (cypher, code) => {
    const { status, warnings } = evaluate({ cypher });

    expect([status, warnings.map((warning) => warning.code)]).toEqual([
      'NoData',
      expect.arrayContaining([code]),
    ]);
  });

  it('passes where the missing name may be absent', () => {
    const cypher = "MATCH (h:host) WHERE h.flavour = 'x' RETURN h";

    expect(evaluate({ cypher, may_be_absent: ['flavour'] })).toMatchObject({ status: 'Pass', warnings: [] });
  });

  it('has no data over an empty graph or population', () => {
    const cypher = "MATCH (h:host) WHERE h.os = 'plan9' RETURN h";
    const population = "MATCH (h:host) WHERE h.env = 'moon' RETURN h";

    expect(evaluate({ cypher, population })).toMatchObject({ status: 'NoData' });
  });
});

describe('a rule in Cypher that cannot be judged', () => {
  it.each([
    ['MATCH (h:host) OPTIONAL MATCH (h)-[:RUNS]->(s) RETURN s', /first column of each row, got null/],
    ["MATCH (h:host) UNWIND [h, 'x'] AS x RETURN x", /first column of each row, got another value/],
    ['MATCH (h:host) WHERE 1 / 0 = 1 RETURN h', /^CYPHER_FAILED/],
    ['UNWIND range(1, 1000000000) AS x RETURN x', /^QUERY_T(OO_LARGE|IMEOUT)/],
    [
      'UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c WITH c WHERE c < 0 RETURN c',
      /^QUERY_TIMEOUT/,
    ],
  ])('is an error: %s', (cypher, error) => {
    expect(evaluate({ cypher }, { timeoutMs: 200 })).toMatchObject({
      status: 'Error',
      error: expect.stringMatching(error),
    });
  });

  it('is an error where groups have an identity given', () => {
    const outcome = evaluate({ cypher: 'MATCH (h:host) RETURN h.env', identity: ['env'] });

    expect(outcome).toMatchObject({
      status: 'Error',
      error: expect.stringContaining('groups have an identity'),
    });
  });
});

describe('a rule file with Cypher', () => {
  const fileOf = (lines: string) => () => parseRule(yamlSource(`id: a\n${lines}`, 'r.yaml'));

  it.each([
    ['cypher: CREATE (n:A)', /^r\.yaml:2:9: cypher: CREATE changes the graph: .* \(line 1, column 1\)$/],
    ['cypher: MATCH (n) SET n.x = 1 RETURN n', /^r\.yaml:2:9: cypher: SET changes the graph/],
    ['cypher: MATCH (n) CALL (n) { DETACH DELETE n } RETURN n', /DELETE changes the graph/],
    ['cypher: CREATE INDEX FOR (n:A) ON (n.x)', /changes the graph/],
    ['cypher: CALL db.labels() YIELD label RETURN label', /procedures and SHOW read more than the graph/],
    ['cypher: SHOW INDEXES', /procedures and SHOW/],
    ['cypher: EXPLAIN MATCH (n) RETURN n', /show plans, not results/],
    ['cypher: MATCH (n) RETURN n LIMIT 10', /leave SKIP and LIMIT out after RETURN/],
    ['cypher: MATCH (n) RETRN n', /r\.yaml:2:9: cypher: /],
    ['cypher: MATCH (n) WHERE n.x = $x RETURN n', /unbound parameter \$x/],
    ['cypher: MATCH (n) RETURN n\nquery: FIND host', /expected one of query and cypher, got both/],
    ['name: x', /expected one of query and cypher, got neither/],
    ['cypher: MATCH (n) RETURN n\npopulation: FIND host', /^r\.yaml:3:13: population: /],
    [
      'cypher: MATCH (n) RETURN n\nexceptions: [{match: m.x = 1, reason: r}]',
      /match: the variable `m` is not defined/,
    ],
    [
      'cypher: MATCH (n) RETURN n\nexceptions: [{match: n.x = 1 RETURN n, reason: r}]',
      /the end of the condition/,
    ],
  ])('is refused at its place: %s', (lines, message) => {
    expect(fileOf(lines)).toThrow(
      expect.objectContaining({ code: 'POLICY_INVALID', message: expect.stringMatching(message) }),
    );
  });
});

describe('the inputs of a rule in Cypher', () => {
  const inputsOf = (cypher: string, more: object = {}) => {
    const rule = ruleOf({ cypher, ...more });
    return outcomeFootprint(rule, { ...evaluate({ cypher, ...more }), status: 'Pass', warnings: [] });
  };

  it('are the labels and types that it names', () => {
    expect(inputsOf(UNPROTECTED)).toEqual({
      names: ['host', 'edr_agent'],
      verbs: ['PROTECTS'],
      readsStamps: false,
    });
  });

  it.each([
    ['MATCH (h:host)-->(s) RETURN h', '*', '*'],
    ['MATCH p = (h:host)-[:RUNS*1..3]->(s:service) RETURN p', '*', ['RUNS']],
    ['MATCH (h:host)-[:RUNS*1..3]->(s:service) RETURN h', ['host', 'service'], ['RUNS']],
    ['MATCH (h:host) WITH h MATCH (h)-[:RUNS]->(s:service) RETURN h', ['host', 'service'], ['RUNS']],
    [
      'MATCH (h:host) ((:disk)-[:USES]->(:user))+ (s:service) RETURN h',
      ['disk', 'host', 'service', 'user'],
      ['USES'],
    ],
    ['MATCH (h:host) ((x)-[:USES]->(:user))+ (s:service) RETURN h, [n IN x | n.os]', '*', ['USES']],
    ['MATCH (h:host)-[:RUNS]->{1,3}(s:service) RETURN h', ['host', 'service'], ['RUNS']],
    ['MATCH SHORTEST 1 (h:host)-[:RUNS]->+(s:service) RETURN h', ['host', 'service'], ['RUNS']],
    [
      'MATCH SHORTEST 1 ((h:host)-[:RUNS]->+(s:service) WHERE s:web) RETURN h',
      ['host', 'service', 'web'],
      ['RUNS'],
    ],
    ["MATCH (h:host)-[:$('RUNS')]->(s:$('service')) RETURN h", '*', '*'],
    ['MATCH (h:host) WITH h.os AS os MATCH (h) RETURN h', '*', []],
    ['MATCH (h:host) CALL { MATCH (h) RETURN count(*) AS n } RETURN h, n', '*', []],
    [
      'MATCH (h:host) CALL (h) { MATCH (h)-[:RUNS]->(s:service) RETURN s } RETURN s',
      ['host', 'service'],
      ['RUNS'],
    ],
  ])('are all that no pattern restricts: %s', (cypher, names, verbs) => {
    const inputs = inputsOf(cypher);

    expect(
      [inputs?.names, inputs?.verbs].map((each) => (Array.isArray(each) ? each.toSorted() : each)),
    ).toEqual([names, verbs]);
  });

  it('have the stamps of records where it reads one', () => {
    expect(inputsOf("MATCH (h:host) WHERE h._source = 'x' RETURN h")?.readsStamps).toBe(true);
    expect(
      inputsOf("MATCH (h:host) ((x:host)-[:RUNS]->(y:service) WHERE x._source = 'x')+ (s:service) RETURN h")
        ?.readsStamps,
    ).toBe(true);
  });

  it.each([
    'datetime()',
    "datetime({timezone: 'Europe/Oslo'})",
    'date.realtime()',
    "date.truncate('month')",
    'timestamp()',
    'rand()',
  ])('are unknown where it depends on the time or on chance: %s', (call) => {
    expect(inputsOf(`MATCH (h:host) WHERE toString(${call}) <> h.os RETURN h`)).toBeUndefined();
    expect(
      inputsOf('MATCH (h:host) RETURN h', {
        exceptions: [{ match: `h.os <> toString(${call})`, reason: 'r' }],
      }),
    ).toBeUndefined();
  });

  it('do not have the clock where a time is given', () => {
    expect(
      inputsOf("MATCH (h:host) WHERE datetime('2026-01-01') < datetime(h.os) RETURN h", {
        may_be_absent: [],
      }),
    ).toBeDefined();
  });
});

describe('the proof of a finding in Cypher', () => {
  const proved = (rule: object) => {
    const parsed = ruleOf(rule);
    return evaluate(rule).violations.map((violation) => {
      const proof = proofOf(parsed, violation);
      if (!('cypher' in proof)) throw new Error('expected Cypher');
      const limits = { parameters: proof.params, timeoutMs: 10_000, clock: systemClock };
      const rows = new ReadingStatement(proof.cypher).run(reader, limits);
      return { proof, violation, rows: Array.from({ length: rows.count }, (_, row) => rows.valuesAt(row)) };
    });
  };

  it.each([
    'MATCH (s:service)<-[r:RUNS]-(h:host) WHERE h.env = $env RETURN s, r, h; // done',
    'MATCH (s:service)<-[r:RUNS]-(h:host) WHERE h.env = $env RETURN s UNION MATCH (s:user) RETURN s',
    'MATCH p = (h:host)-[:RUNS]->(s) WHERE h.env = $env RETURN p',
  ])('has the rows of its entity and no others: %s', (cypher) => {
    const all = proved({ cypher, parameters: { env: { type: 'string', default: 'prod' } } });

    expect(all.length).toBeGreaterThan(1);
    for (const { proof, violation, rows } of all) {
      expect(proof.params).toEqual({ env: 'prod' });
      expect(rows.length).toBeGreaterThan(0);
      for (const [first] of rows) expect(JSON.stringify(first)).toContain(String(violation.entity_id));
    }
  });

  it('has the rows of its group', () => {
    const all = proved({
      cypher: "MATCH (h:host) RETURN h.env AS env, h.cpu AS `c p`, h.owner, date('2026-01-02') AS day",
    });

    expect(all.map(({ rows }) => rows)).toEqual(all.map(({ violation }) => [violation.keys]));
  });
});
