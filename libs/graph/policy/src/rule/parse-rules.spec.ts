import { describe, expect, it } from '@jest/globals';
import { parseRules } from './parse-rules.ts';
import { jsonSource, yamlSource } from './rule-source.ts';

const parse = (text: string) => parseRules(yamlSource(text, 'r.yaml'));

describe('a rule file', () => {
  it('needs only id and query, and fills in defaults', () => {
    const [rule] = parse('rules:\n  - id: a.b-1\n    query: FIND host\n');

    expect(rule).toEqual({
      id: 'a.b-1',
      name: 'a.b-1',
      severity: 'medium',
      description: '',
      query: 'FIND host',
      parameters: {},
      expect: { rows: 0 },
      identity: [],
      may_be_absent: [],
      frameworks: [],
      tags: [],
      schedule: 'manual',
      remediation: '',
      exceptions: [],
      enabled: true,
      tests: [],
    });
  });

  it('parses parsed rules to equal rules', () => {
    const text = `version: 1
rules:
  - id: full
    name: Full
    severity: high
    query: "FIND Host WITH env = $env AS h GROUP BY h.region"
    parameters: { env: { type: string, default: prod } }
    expect: { max: 3 }
    frameworks: [{ framework: CIS-Controls-v8, control: "10.1", title: Malware }]
    tags: [edr]
    schedule: every:1h
    exceptions: [{ match: "count > 5", reason: known, expires: 2027-01-01 }]
    tests:
      - name: t
        entities: [{ type: host, key: h1 }]
        params: { env: dev }
        expect: { status: fail, violations: [h1] }
`;
    const rules = parse(text);

    expect(parseRules(jsonSource(JSON.parse(JSON.stringify({ rules }))))).toEqual(rules);
    expect(rules[0]?.exceptions[0]?.expires).toBe('2027-01-01');
    expect(rules[0]?.tests).toMatchObject([
      { name: 't', params: { env: 'dev' }, expect: { status: 'fail', violations: ['h1'] } },
    ]);
  });

  it.each([
    [
      'unknown key',
      '- {id: a, query: FIND host, sevrity: high}',
      /^r\.yaml:2:31: unknown key "sevrity", did you mean severity\?$/,
    ],
    ['no id', '- {query: FIND host}', /^r\.yaml:2:5: id: missing, expected a text/],
    ['bad id', '- {id: A b, query: FIND host}', /^r\.yaml:2:10: id: expected lower-case/],
    ['reserved id', '- {id: posture, query: FIND host}', /posture is reserved/],
    ['bad PQL', '- {id: a, query: FIND host LIMIT ten}', /^r\.yaml:2:20: query: .*line 1, column 17/],
    [
      'duplicate id',
      '- {id: a, query: FIND host}\n  - {id: a, query: FIND host}',
      /^r\.yaml:3:10: id: duplicate id a/,
    ],
    ['unbound parameter', '- {id: a, query: FIND host WITH os = $os}', /unbound parameter \$os/],
    [
      'idle parameter',
      '- {id: a, query: FIND host, parameters: {x: {type: string}}}',
      /no query of this rule names \$x/,
    ],
    [
      'default of another type',
      '- {id: a, query: FIND host WITH os = $x, parameters: {x: {type: number, default: y}}}',
      /expected a number/,
    ],
    ['bad schedule', '- {id: a, query: FIND host, schedule: sometimes}', /schedule: expected manual/],
    ['endless wait', '- {id: a, query: FIND host, schedule: "every:0s"}', /every: expected a duration/],
    ['cron that never fires', '- {id: a, query: FIND host, schedule: "cron:0 0 30 2 *"}', /never fires/],
    ['broken cron', '- {id: a, query: FIND host, schedule: "cron:x"}', /expected a cron expression/],
    ['limit', '- {id: a, query: FIND host LIMIT 5}', /leave SKIP and LIMIT out/],
    ['explain', '- {id: a, query: EXPLAIN FIND host}', /show plans/],
    [
      'two conditions',
      '- {id: a, query: FIND host, exceptions: [{match: "a = 1 THAT RUNS service", reason: r}]}',
      /expected one condition/,
    ],
    [
      'bad exception',
      '- {id: a, query: FIND host, exceptions: [{match: "a =", reason: r}]}',
      /match: expected a value/,
    ],
    [
      'no reason',
      '- {id: a, query: FIND host, exceptions: [{match: "a = 1"}]}',
      /reason: missing, expected a text/,
    ],
    [
      'bad expiry',
      '- {id: a, query: FIND host, exceptions: [{match: "a = 1", reason: r, expires: soon}]}',
      /expires: expected a date/,
    ],
    [
      'two expectations',
      '- {id: a, query: FIND host, expect: {max: 1, min: 1}}',
      /expected one of rows, max and min/,
    ],
    [
      'grouped population',
      '- {id: a, query: FIND host, population: FIND host GROUP BY os}',
      /expected a query for entities/,
    ],
    [
      'bad test entity',
      '- {id: a, query: FIND host, tests: [{name: t, entities: [{type: host}], expect: {status: pass}}]}',
      /key: expected a string/,
    ],
    [
      'identity of groups',
      '- {id: a, query: FIND host GROUP BY os, identity: [os]}',
      /have an identity of their own/,
    ],
    ['text for a flag', '- {id: a, query: FIND host, enabled: "no"}', /enabled: expected true or false/],
  ])('is rejected as a whole for: %s', (_what, rules, message) => {
    const text = `rules:\n  ${rules}\n`;

    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: 'POLICY_INVALID', message: expect.stringMatching(message) }),
    );
  });

  it.each([
    'os = 1 AS h',
    'os = 1 THAT RUNS service',
    'os = 1 WHERE cpu = 1',
    'os = 1 WHERE host.cpu = 1',
    'os = 1 GROUP BY os',
    'os = 1 GROUP BY os HAVING count > 1',
    'os = 1 RETURN os',
    'os = 1 ORDER BY os',
    'os = 1 SKIP 1',
    'os = 1 LIMIT 1',
  ])('is rejected for an exception that is more than a condition: %s', (match) => {
    const rule = { id: 'a', query: 'FIND host', exceptions: [{ match, reason: 'r' }] };

    expect(() => parseRules(jsonSource({ rules: [rule] }))).toThrow(
      /expected one condition|WHERE needs aliases/,
    );
  });

  it.each(['count > 1 RETURN COUNT(*)', 'count > 1 ORDER BY count', 'count > 1 SKIP 1', 'count > 1 LIMIT 1'])(
    'is rejected for an exception of groups that is more than a condition: %s',
    (match) => {
      const rule = { id: 'a', query: 'FIND host GROUP BY os', exceptions: [{ match, reason: 'r' }] };

      expect(() => parseRules(jsonSource({ rules: [rule] }))).toThrow('expected one condition');
    },
  );

  it.each([
    ['aliases', 'rules: &a [*a]'],
    ['a bomb', 'a: &a [x,x]\nb: &b [*a,*a]\nrules: [*b]'],
    ['broken YAML', 'rules: ['],
    ['another version', 'version: 2\nrules: []'],
    ['no rules', 'version: 1'],
    ['a text', 'hello'],
    ['deep nesting', `rules: ${'['.repeat(10_000)}`],
  ])('is rejected for %s', (_what, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'POLICY_INVALID' }));
  });
});

it('reports the position of invalid YAML, or of an invalid rule, in the error details', () => {
  const detailsOf = (text: string): unknown => {
    try {
      return parse(text);
    } catch (error) {
      return (error as { details?: unknown }).details;
    }
  };

  expect(detailsOf('rules:\n  - id: a\n   query: x')).toEqual({ file: 'r.yaml', line: 3, column: 4 });
  expect(detailsOf('rules:\n  - id: a\n    qery: x')).toEqual({ file: 'r.yaml', line: 3, column: 5 });
});

describe('rules as JSON', () => {
  it('are rejected with the path of the error', () => {
    const source = jsonSource({
      rules: [
        { id: 'a', query: 'FIND host' },
        { id: 'b', query: 'FIND' },
      ],
    });

    expect(() => parseRules(source)).toThrow(/^rules\[1\]\.query: expected/);
  });

  it('are rejected without a path if the whole value is invalid', () => {
    expect(() => parseRules(jsonSource(7))).toThrow(/^expected/);
  });
});
