/** The graph of an earlier moment over Cypher, Bolt, gRPC and MCP; the rest is in history.e2e-spec. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import neo4j, { type Driver } from 'neo4j-driver';
import { callFault, GraphCaller } from '#graph/testing';
import { tokenOf } from './support/seq-token.ts';
import { bodyOf, TestService } from './support/test-service.ts';

const NAMES = 'MATCH (h:Host) RETURN h._key AS key ORDER BY key';

let service: TestService;
let first: number;
let last: number;
let driver: Driver;

async function write(key: string): Promise<number> {
  const entities = [{ type: 'host', key, class: 'Host', properties: {} }];
  const answer = await service.call('POST', '/v1/ingest/write', { entities, relationships: [] });
  return tokenOf(answer).seq;
}

beforeAll(async () => {
  const environment = { PLEXUS_MCP: 'on', PLEXUS_GRPC_PORT: '0', PLEXUS_BOLT_PORT: '0' };
  service = await TestService.start({ environment });
  first = await write('web');
  last = await write('db');
  driver = neo4j.driver(`bolt://${service.boltAddress}`, neo4j.auth.basic('', ''), {
    disableLosslessIntegers: true,
  });
});
afterAll(async () => {
  await driver.close();
  await service.stop();
});

describe('a statement of Cypher as of a moment', () => {
  const run = (body: object): ReturnType<TestService['call']> => service.call('POST', '/v1/cypher', body);

  it('reads the graph of then over REST, as lines too, and does not take the client back', async () => {
    const token = `${service.graph.epoch}.${String(first)}`;
    const lines = await service.call(
      'POST',
      '/v1/cypher',
      { cypher: NAMES, as_of: first },
      { Accept: 'application/x-ndjson' },
    );

    for (const asOf of [first, token]) {
      const answer = await run({ cypher: NAMES, as_of: asOf });
      expect(bodyOf(answer)).toMatchObject({ rows: [['web']], snapshot_version: first });
      expect(tokenOf(answer).seq).toBe(last);
    }
    expect(lines.text).toBe('{"key":"web"}\n{"end":true,"count":1}\n');
    expect(bodyOf(await run({ cypher: NAMES }))).toMatchObject({ rows: [['db'], ['web']] });
  });

  it('is refused if it writes, and for what is no moment of this history', async () => {
    const refusal = async (body: object): Promise<readonly unknown[]> => {
      const answer = await run({ cypher: NAMES, ...body });
      return [answer.status, (JSON.parse(answer.text) as { readonly error: string }).error];
    };

    for (const cypher of [
      'CREATE (:Host {id: "x"})',
      'MATCH (h) DELETE h',
      'CREATE INDEX i FOR (h:Host) ON (h.a)',
    ])
      expect(await refusal({ cypher, as_of: first })).toEqual([400, 'CYPHER_FAILED']);
    for (const malformed of ['yesterday', '1.5', -1, {}, true, last + 1])
      expect(await refusal({ as_of: malformed })).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusal({ as_of: '2020-01-01T00:00:00Z' })).toEqual([410, 'BEYOND_HISTORY']);
    expect(await refusal({ as_of: `other.${String(first)}` })).toEqual([409, 'CONFLICT']);
    expect(bodyOf(await run({ cypher: NAMES }))).toMatchObject({ rows: [['db'], ['web']] });
  });

  it('is asked for over Bolt by the metadata of the transaction', async () => {
    const session = driver.session();
    const keysOf = async (metadata: object): Promise<readonly unknown[]> => {
      const { records } = await session.run(NAMES, {}, { metadata });
      return records.map((record) => record.get('key') as unknown);
    };
    const inOne = await session.executeRead(
      async (transaction) => {
        const some = await transaction.run(NAMES);
        const count = await transaction.run('MATCH (h) RETURN count(h) AS n');
        return [some.records.length, count.records[0]?.get('n')] as const;
      },
      { metadata: { as_of: first } },
    );

    expect(await keysOf({ as_of: neo4j.int(first) })).toEqual(['web']);
    expect(await keysOf({ as_of: `${service.graph.epoch}.${String(first)}` })).toEqual(['web']);
    expect(await keysOf({ app: 'x' })).toEqual(['db', 'web']);
    expect(inOne).toEqual([1, 1]);
    for (const refused of [[1], '1.5', last + 1, '2020-01-01T00:00:00Z'])
      await expect(keysOf({ as_of: refused })).rejects.toMatchObject({
        code: 'Neo.ClientError.Statement.ArgumentError',
      });
    await expect(
      session.run('CREATE (:Host {id: "x"})', {}, { metadata: { as_of: first } }),
    ).rejects.toMatchObject({
      code: 'Neo.ClientError.Statement.AccessMode',
    });
    await session.close();
  });
});

describe('a query as of a moment', () => {
  it('is asked for over gRPC', async () => {
    const caller = new GraphCaller(service.grpcAddress, {});
    try {
      const then = await caller.query({ pql: 'FIND Host', asOf: String(first) });
      const now = await caller.query('FIND Host');
      const fault = await callFault(caller.query({ pql: 'FIND Host', asOf: 'yesterday' }));

      expect([then.summary.count, now.summary.count]).toEqual(['1', '2']);
      expect(fault).toMatchObject({ status: 'INVALID_ARGUMENT' });
    } finally {
      caller.close();
    }
  });

  it('is asked for over MCP, where a tool lists what has changed since', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
    const ask = async (name: string, args: object): Promise<Record<string, unknown>> => {
      const { structuredContent, content } = await client.callTool({ name, arguments: { ...args } });
      return (structuredContent ?? { content }) as Record<string, unknown>;
    };

    const then = await ask('query', { pql: 'FIND Host', as_of: first });
    const changes = await ask('changes', { from: first, kind: 'Host' });
    const some = await ask('changes', { from: 0, limit: 1 });
    await client.close();

    expect(then).toMatchObject({ count: 1, entities: [{ key: 'web' }] });
    expect(changes).toMatchObject({
      from: first,
      to: last,
      changes: [{ change: 'created', key: 'db' }],
    });
    expect(changes).not.toHaveProperty('cursor');
    expect(some).toMatchObject({ cursor: expect.any(String), changes: [{ key: 'db' }] });
  });
});
