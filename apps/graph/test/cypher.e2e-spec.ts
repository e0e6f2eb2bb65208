import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runProgram } from './support/built-program.ts';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

interface Reply {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

describe('POST /v1/cypher', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
  });
  afterAll(() => service.stop());

  const run = async (cypher: string, more: object = {}): Promise<Reply> => {
    const { columns, rows } = await service.json(200, 'POST', '/v1/cypher', { cypher, ...more });
    return { columns, rows } as Reply;
  };
  const failed = (cypher: string, more: object = {}) =>
    service.json(400, 'POST', '/v1/cypher', { cypher, ...more });

  it('matches types and classes as labels', async () => {
    const byType = await run('MATCH (h:host) RETURN count(*) AS n');
    const byClass = await run('MATCH (h:Host) RETURN count(*) AS n');

    expect([byType.rows, byClass.rows]).toEqual([[[4]], [[5]]]);
  });

  it('answers the same as PQL for a path of three hops', async () => {
    const reply = await run(
      `MATCH (u:user)-[:ASSIGNED]->(:role)-[:ALLOWS]->(d)
       WHERE d:DataStore OR d:Database RETURN u._key AS user, d._key AS data ORDER BY user`,
    );

    expect(reply.columns).toEqual(['user', 'data']);
    expect(reply.rows).toEqual([
      ['alice', 'customers'],
      ['bob', 'logs'],
      ['carol', 'logs'],
    ]);
  });

  it('finds what a pattern lacks', async () => {
    const reply = await run(
      'MATCH (h:host) WHERE NOT (h)<-[:PROTECTS]-(:edr_agent) RETURN h.name ORDER BY h.name',
    );

    expect(reply.rows).toEqual([['web-02'], ['win-01']]);
  });

  it('returns the shortest path with its nodes and relationships', async () => {
    const { rows } = await run(
      `MATCH p = shortestPath((:user {name: 'alice'})-[*]-(:secret)) RETURN length(p), [n IN nodes(p) | n._key]`,
    );

    expect(rows).toEqual([[4, ['alice', 'admin', 'customers', 'postgres', 'db-password']]]);
  });

  it('distinguishes integers and floats, and keeps what JSON cannot say as strings', async () => {
    const { rows } = await run('RETURN 7 / 2, 7 / 2.0, 9007199254740993, 0.0 / 0.0, $big', {
      params: { big: 5 },
    });

    expect(rows).toEqual([[3, 3.5, '9007199254740993', 'NaN', 5]]);
  });

  it('returns a node as its entity', async () => {
    const { rows } = await run("MATCH (n:host {name: 'web-01'}) RETURN n");

    expect(rows[0]?.[0]).toMatchObject({ type: 'host', key: 'web-01', properties: { os: 'linux' } });
  });

  it.each([
    ['a misspelt keyword', 'MATCH (n) RETRUN n', 'UnexpectedSyntax', 10],
    ['an unknown variable', 'MATCH (n) RETURN m', 'UndefinedVariable', 17],
    ['an unknown function', 'RETURN siez([])', 'UnknownFunction', 7],
    ['a missing parameter', 'RETURN $x', 'MissingParameter', 7],
    ['a change inside an expression', 'RETURN COUNT { CREATE (n) RETURN n }', 'InvalidClauseComposition', 15],
  ])('refuses %s at its place', async (_, cypher, kind, position) => {
    expect(await failed(cypher)).toMatchObject({ error: 'CYPHER_SYNTAX', details: { kind, position } });
  });

  it.each([
    ['a division by zero', 'RETURN 1 / 0', 'NumberOutOfRange'],
    ['an overflow', 'RETURN 9223372036854775807 + 1', 'NumberOutOfRange'],
  ])('refuses %s with the code of the error', async (_, cypher, kind) => {
    expect(await failed(cypher)).toMatchObject({ error: 'CYPHER_FAILED', details: { kind } });
  });

  it('returns the plan of EXPLAIN and PROFILE, and warns of names that are not there', async () => {
    const explained = await service.json(200, 'POST', '/v1/cypher', {
      cypher: 'EXPLAIN MATCH (h:hots) RETURN h.name AS name',
    });
    const profiled = await service.json(200, 'POST', '/v1/cypher', {
      cypher: 'PROFILE MATCH (h:host) RETURN h.name AS name',
    });

    expect(explained).toMatchObject({
      rows: [],
      plan: { operator: 'ProduceResults', identifiers: ['name'] },
      warnings: [{ code: 'UNKNOWN_CLASS', nearest: 'Host', position: 17 }],
    });
    expect(profiled).toMatchObject({ plan: { operator: 'ProduceResults', rows: 4 }, warnings: [] });
  });

  it('refuses more rows than the limit, and streams all of them as lines', async () => {
    const cypher = 'UNWIND range(1, 5000) AS x RETURN x';
    const refused = await service.json(422, 'POST', '/v1/cypher', { cypher });
    const reply = await fetch(`${service.url}/v1/cypher`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
      body: JSON.stringify({ cypher }),
    });
    const lines = (await reply.text()).trimEnd().split('\n');

    expect(refused).toMatchObject({ error: 'QUERY_TOO_LARGE' });
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([5001, '{"x":1}', '{"end":true,"count":5000}']);
  });

  it.each([
    ['a product of everything', 'MATCH (a), (b), (c), (d), (e), (f), (g), (h) RETURN count(*)'],
    ['a list of lists in an expression', 'RETURN [x IN range(1, 5000000) | [y IN range(1, 1000) | x * y]]'],
    ['trails without a bound', 'MATCH p = (a)-[*]-(b) MATCH q = (c)-[*]-(d) RETURN count(*)'],
  ])('ends %s at its time limit, while others are answered', async (_, cypher) => {
    const heavy = service.json(504, 'POST', '/v1/cypher', { cypher, timeout_ms: 400 });
    const other = await run('MATCH (h:host) RETURN count(*)');

    expect(other.rows).toEqual([[4]]);
    expect(await heavy).toMatchObject({ error: 'QUERY_TIMEOUT' });
  });

  it.each(['(', '[', '{a:', 'NOT ', '-', 'a.b', '1+', 'a OR ', 'CASE WHEN ', 'x IS NULL '])(
    'reads or refuses 100,000 times `%s` without failing',
    async (piece) => {
      const reply = await service.call('POST', '/v1/cypher', {
        cypher: `RETURN ${piece.repeat(100_000)}`,
      });

      expect(reply.status).toBe(400);
    },
  );

  it('runs on the command line, and shows the place of an error', async () => {
    const found = await runProgram([
      'cypher',
      'MATCH (u:user) RETURN u.name AS name ORDER BY name',
      '--url',
      service.url,
    ]);
    const wrong = await runProgram(['cypher', 'MATCH (u:user) RETURN v', '--url', service.url]);

    expect(found.stdout).toBe('name\n─────\nalice\nbob\ncarol\n');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('\n                      ^')]);
  });
});
