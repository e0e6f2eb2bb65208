import { describe, expect, it } from '@jest/globals';
import { FIXTURE, NaiveReader } from '#graph/testing';
import { LinkCell, NodeCell, type Cell } from '../../result/query-result.ts';
import { QueryEngine, type RunOptions } from './query-engine.ts';

const reader = new NaiveReader(FIXTURE);
const engine = new QueryEngine({ vocabulary: { hasClass: () => false, hasVerb: () => false } });

const key = (node: number): unknown => reader.nodeField(node, '_key');

function shown(cell: Cell): unknown {
  if (cell instanceof NodeCell) return `(${String(key(cell.node))})`;
  if (cell instanceof LinkCell) return `[${reader.linkVerb(cell.link)}]`;
  return cell ?? null;
}

function answer(pql: string, options: RunOptions = {}) {
  const result = engine.runSync(reader, pql, options);
  const page = result.page(0, 1_000);
  return {
    count: result.count,
    keys: Array.from(page.entities, key),
    rows: page.rows?.map((row) => row.map(shown)),
    groups: page.groups?.map((group) => [...group.keys.map(shown), group.count]),
    warnings: result.warnings.map((warning) => warning.code),
    page,
    result,
  };
}

describe('the rules of the language', () => {
  it.each([
    ['FIND host', ['db-01', 'web-01', 'web-02', 'win-01']],
    ['FIND Host', ['i-9', 'db-01', 'web-01', 'web-02', 'win-01']],
    [`find host with os = 'linux' or os = 'windows'`, ['db-01', 'web-01', 'web-02', 'win-01']],
    [`FIND Host WITH (os = 'windows' OR os = 'linux') AND env = 'dev'`, ['i-9', 'win-01']],
    ['FIND host WITH NOT owner EXISTS', ['web-02', 'win-01']],
    [`FIND host WITH owner != 'alice'`, ['db-01', 'web-02', 'win-01']],
    ['FIND Host WITH cpu BETWEEN 2 AND 4', ['i-9', 'web-02', 'win-01']],
    [`FIND user WITH email LIKE '%@corp.com'`, ['alice', 'bob']],
    [`FIND host THAT RUNS service WITH name = 'nginx'`, ['web-01', 'web-02']],
    ['FIND host THAT !PROTECTS edr_agent', ['web-02', 'win-01']],
    ['FIND host THAT !PROTECTS >> edr_agent', ['db-01', 'web-01', 'web-02', 'win-01']],
    ['FIND user (THAT ASSIGNED role THAT ALLOWS Database)!', ['bob', 'carol']],
    ['FIND user THAT (ASSIGNED|TRUSTS|ALLOWS){1..3} >> Database', ['alice', 'bob', 'carol']],
    ['FIND user THAT (ASSIGNED|TRUSTS|ALLOWS){1..2} >> Database', ['alice']],
  ])('%s finds its entities', (pql, keys) => {
    const { count, keys: found, warnings } = answer(pql);

    expect(found).toEqual(keys);
    expect(count).toBe(keys.length);
    expect(warnings).toEqual([]);
  });

  it('warns of AND and OR without parentheses', () => {
    const { count, warnings } = answer(`FIND Host WITH os = 'linux' OR os = 'windows' AND env = 'dev'`);

    expect(count).toBe(5);
    expect(warnings).toEqual(['MIXED_AND_OR']);
  });

  it('groups with keys ascending', () => {
    const { groups, count, keys } = answer('FIND Host GROUP BY region');

    expect(groups).toEqual([
      ['eu-west-1', 2],
      ['us-east-1', 3],
    ]);
    expect({ count, keys }).toEqual({ count: 2, keys: [] });
  });

  it('groups null and missing last', () => {
    expect(answer('FIND host GROUP BY owner').groups).toEqual([
      ['alice', 1],
      ['bob', 1],
      [null, 2],
    ]);
  });

  it('returns full entities besides the projection', () => {
    const { keys, rows, result } = answer('FIND host RETURN display_name, state');

    expect(keys).toHaveLength(4);
    expect(result.columns).toEqual(['display_name', 'state']);
    expect(rows).toEqual([
      ['db-01', 'running'],
      ['web-01', 'running'],
      ['web-02', 'stopped'],
      ['win-01', 'running'],
    ]);
  });

  it('aggregates by group', () => {
    const { rows, groups } = answer(
      'FIND Host AS h GROUP BY h.env RETURN h.env, COUNT(*) AS n, AVG(h.cpu) AS a ORDER BY n DESC',
    );

    expect(rows).toEqual([
      ['prod', 3, 28 / 3],
      ['dev', 2, 3.25],
    ]);
    expect(groups).toEqual([
      ['prod', 3],
      ['dev', 2],
    ]);
  });

  it('returns a row for each combination of aliased nodes', () => {
    const { rows } = answer(
      'FIND user AS u THAT ASSIGNED role AS r THAT ALLOWS (DataStore|Database) AS d RETURN u._key, d._key',
    );

    expect(rows).toEqual([
      ['alice', 'customers'],
      ['bob', 'logs'],
      ['carol', 'logs'],
    ]);
  });

  it('returns null for a missing optional chain', () => {
    const { rows } = answer('FIND host AS h (THAT RUNS service AS s)? RETURN h._key, s._key');

    expect(rows).toEqual([
      ['db-01', 'postgres'],
      ['web-01', 'nginx'],
      ['web-02', 'nginx'],
      ['win-01', null],
    ]);
  });

  it('counts the rows of a hop beside an optional chain, in groups of that chain', () => {
    const host = (key: string) => ({ type: 'host', key, class: 'Host', displayName: key, properties: {} });
    const runs = (from: string, to: string) => ({
      from: { type: 'host', key: from },
      verb: 'RUNS',
      to: { type: 'host', key: to },
      properties: {},
    });
    const data = { entities: [host('a'), host('b')], relationships: [runs('a', 'a'), runs('b', 'a')] };
    const pql =
      'FIND * THAT RUNS * AS n (THAT RUNS * AS o)? THAT RUNS * AS p GROUP BY o._key RETURN o._key, COUNT(*)';

    const [counted, plain] = (['on', 'off'] as const).map((planner) =>
      engine.runSync(new NaiveReader(data), pql, { planner }).page(0, 10),
    );

    // Of b, a is the only neighbour; of a, both are.
    expect(counted?.rows).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
    expect(plain?.rows).toEqual(counted?.rows);
  });

  it('returns each relationship once, whatever it leads to', () => {
    const service = (key: string) => ({
      type: 'service',
      key,
      class: 'Service',
      displayName: key,
      properties: {},
    });
    const runs = (to: string) => ({
      from: { type: 'service', key: 'a' },
      verb: 'RUNS',
      to: { type: 'service', key: to },
      properties: {},
    });
    const data = { entities: ['a', 'b', 'c'].map(service), relationships: [runs('b'), runs('c')] };
    const run = (pql: string) => engine.runSync(new NaiveReader(data), pql);

    expect(run('FIND service THAT RUNS >> AS r service RETURN DISTINCT r').count).toBe(2);
    expect(run('FIND service THAT RUNS >> AS r service RETURN DISTINCT r, r.port').count).toBe(2);
    expect(run('FIND service THAT RUNS >> AS r service GROUP BY r').page(0, 10).groups).toHaveLength(2);
  });

  it('finds the shortest path in either direction', () => {
    const { page, count } = answer(`FIND SHORTEST PATH FROM user WITH _key = 'alice' TO secret`);

    expect(count).toBe(1);
    expect(Array.from(page.paths?.[0]?.nodes ?? [], key)).toEqual([
      'alice',
      'admin',
      'customers',
      'postgres',
      'db-password',
    ]);
  });

  it('finds no path against the direction of relationships', () => {
    const { count, page } = answer(`FIND SHORTEST PATH FROM 'alice' TO 'db-password' VIA RELATES TO >>`);

    expect({ count, paths: page.paths }).toEqual({ count: 0, paths: [] });
  });

  it('returns each entity of a blast radius at its least depth', () => {
    const { page } = answer(`FIND BLAST RADIUS FROM host WITH _key = 'web-01' VIA RELATES TO >> DEPTH 2`);

    expect(page.impacted?.map(({ node, depth }) => [key(node), depth])).toEqual([
      ['nginx', 1],
      ['postgres', 2],
    ]);
  });

  it('substitutes parameters', () => {
    const pql = 'FIND host WITH state = $1 AND os = $os';

    expect(answer(pql, { params: { '1': 'running', os: 'linux' } }).keys).toEqual(['db-01', 'web-01']);
    expect(() => answer(pql, { params: { '1': 'running' } })).toThrow(
      expect.objectContaining({ code: 'MISSING_PARAMETER' }),
    );
  });

  it('returns counts without entities', () => {
    expect(answer('FIND host RETURN COUNT')).toMatchObject({ count: 4, keys: [] });
  });

  it('warns of an unknown class', () => {
    expect(answer('FIND container')).toMatchObject({ count: 0, warnings: ['UNKNOWN_CLASS'] });
  });
});
