import { HttpAdapterHost } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type CallToolResult, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { readFileSync } from 'node:fs';
import { request, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { RULES_BODY } from '#graph/api/http';
import { McpSessions, REQUESTS_MAX, SESSION_IDLE_MS, SESSIONS_MAX, TOOLS } from '#graph/api/mcp';
import { clique, ESTATE, SLOW_QUERY } from './support/estate.ts';
import { TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const KEY = 'a-key-for-models';
const AUTHORIZATION = { Authorization: `Bearer ${KEY}` };
const ON = { PLEXUS_MCP: 'on' };
const PROTECTED = { ...ON, PLEXUS_API_KEY: KEY };

const PROTOCOL = {
  Accept: 'application/json, text/event-stream',
  'Content-Type': 'application/json',
};
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const clients: Client[] = [];
const services: TestService[] = [];

async function start(options: Parameters<typeof TestService.start>[0]): Promise<TestService> {
  const service = await TestService.start(options);
  services.push(service);
  return service;
}

async function connected(service: TestService, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  clients.push(client);
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

/** Uses the client library, which checks structured content against the output schema. */
async function call(client: Client, name: string, args: object = {}): Promise<CallToolResult> {
  // Listing the tools loads the schemas.
  await client.listTools();
  const result = await client.callTool({ name, arguments: { ...args } });
  return CallToolResultSchema.parse(result);
}

async function answered(client: Client, name: string, args: object = {}): Promise<Record<string, unknown>> {
  const { isError, structuredContent = {}, content } = await call(client, name, args);
  expect([isError ?? false, content]).toEqual([
    false,
    [{ type: 'text', text: JSON.stringify(structuredContent) }],
  ]);
  return structuredContent;
}

async function refused(client: Client, name: string, args: object = {}): Promise<Record<string, unknown>> {
  const { isError, content } = await call(client, name, args);
  const [told] = content;
  expect([isError, told?.type]).toEqual([true, 'text']);
  return JSON.parse(told?.type === 'text' ? told.text : '{}') as Record<string, unknown>;
}

/** Uses node:http, which sends any header. */
function statusOf(url: string, headers: Record<string, string>, body: unknown = INITIALIZE): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...PROTOCOL, ...headers } }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode ?? 0));
    });
    sent.on('error', reject).end(JSON.stringify(body));
  });
}

beforeEach(() => {
  clients.length = 0;
  services.length = 0;
});
afterEach(async () => {
  await Promise.allSettled(clients.map((client) => client.close()));
  await Promise.all(services.map((service) => service.stop()));
});

describe('without PLEXUS_MCP', () => {
  it.each(['POST', 'GET', 'DELETE', 'OPTIONS'])('nothing answers %s at /mcp', async (method) => {
    const service = await start({});

    const answer = await service.call(method, '/mcp', method === 'POST' ? INITIALIZE : undefined);

    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('no such path')]);
  });
});

describe('/mcp in protected mode', () => {
  let service: TestService;
  let url: string;

  beforeEach(async () => {
    service = await start({ environment: PROTECTED });
    url = `${service.url}/mcp`;
  });

  it('rejects every request without the key', async () => {
    expect(await statusOf(url, {})).toBe(401);
    expect(await statusOf(url, { Authorization: 'Bearer wrong' })).toBe(401);
    expect(await statusOf(url, {}, 'nonsense')).toBe(401);
    expect((await service.call('DELETE', '/mcp')).status).toBe(401);
    expect((await service.call('GET', '/mcp')).status).toBe(401);
  });

  it('answers clients with the key', async () => {
    const client = await connected(service, AUTHORIZATION);

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  });

  it.each([
    ['a foreign host', { Host: 'evil.example' }],
    ['a host that begins as an address does', { Host: '127.0.0.1.evil.example' }],
    ['no host that can be one', { Host: 'localhost/x' }],
    ['a page elsewhere', { Origin: 'https://evil.example' }],
    ['a page that hides its origin', { Origin: 'null' }],
    ['a page of another port', { Origin: 'http://localhost:3000' }],
    ['a rebound page', { Host: 'evil.example', Origin: 'http://evil.example' }],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('refuses %s even with the key', async (_what, headers) => {
    expect(await statusOf(url, { ...AUTHORIZATION, ...headers })).toBe(403);
  });

  it('accepts its own host name, and those in the settings', async () => {
    const { host } = new URL(url);
    const named = await start({ environment: { ...PROTECTED, PLEXUS_ALLOWED_HOSTS: 'graph.example' } });

    expect(await statusOf(url, { ...AUTHORIZATION, Origin: `http://${host}` })).toBe(200);
    expect(await statusOf(url, { ...AUTHORIZATION, Host: 'localhost' })).toBe(200);
    expect(await statusOf(`${named.url}/mcp`, { ...AUTHORIZATION, Host: 'graph.example' })).toBe(200);
  });
});

describe('/mcp in open mode', () => {
  it('rejects a foreign host, which REST accepts from a program', async () => {
    const service = await start({ environment: ON });

    expect(await statusOf(`${service.url}/mcp`, { Host: 'evil.example' })).toBe(403);
    expect(await statusOf(`${service.url}/mcp`, {})).toBe(200);
  });

  it('is not part of the OpenAPI document', async () => {
    const service = await start({ environment: ON });

    expect((await service.call('GET', '/docs-json')).text).not.toContain('/mcp');
  });

  it('answers an invalid message with an error', async () => {
    const service = await start({ environment: ON });
    const send = async (body: string, headers: Record<string, string> = {}) =>
      (await service.call('POST', '/mcp', body, { ...PROTOCOL, ...headers })).status;

    expect(await send('')).toBe(400);
    expect(await send('7')).toBe(400);
    expect(await send('{')).toBe(400);
    expect(await send('{}')).toBe(400);
    expect(await send(JSON.stringify(Array.from({ length: 17 }, () => INITIALIZE)))).toBe(400);
    expect(await send(JSON.stringify(INITIALIZE), { Accept: 'application/json' })).toBe(406);
    expect(await send(JSON.stringify(INITIALIZE), { 'Mcp-Session-Id': 'none' })).toBe(404);
    expect((await service.call('GET', '/mcp')).status).toBe(405);
    expect(service.get(McpSessions).size).toBe(0);
  });
});

describe('the tools', () => {
  let service: TestService;
  let client: Client;

  beforeEach(async () => {
    service = await start({ environment: ON });
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    client = await connected(service);
  });

  it('have a description for models, an example and the read-only hint', async () => {
    const { tools } = await client.listTools();

    for (const { name, description = '', annotations, inputSchema, outputSchema } of tools) {
      expect([name, /\nExample: \{.*\}$/.test(description)]).toEqual([name, true]);
      const example: unknown = JSON.parse(description.slice(description.indexOf('Example: ') + 9));
      expect(
        Object.keys(example as object).filter((field) => !(field in (inputSchema.properties ?? {}))),
      ).toEqual([]);
      expect([name, annotations?.readOnlyHint, outputSchema?.type]).toEqual([name, true, 'object']);
    }
  });

  it('search returns the best first, with counts by type', async () => {
    const all = await answered(client, 'search', { text: 'WEB', limit: 1 });
    const hosts = await answered(client, 'search', { text: 'web', kind: 'Host' });

    expect(all).toMatchObject({ complete: true, entities: [{ key: 'web-01' }], cut: { shown: 1 } });
    expect(all['counts']).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'host' })]));
    expect((hosts['entities'] as { class: string }[]).map((found) => found.class)).toEqual(
      expect.arrayContaining(['Host']),
    );
  });

  it('query returns entities, rows, groups and counts', async () => {
    const entities = await answered(client, 'query', { pql: 'FIND host', limit: 2 });
    const rows = await answered(client, 'query', {
      pql: 'FIND user AS u WITH _key = $key RETURN u._key',
      params: { key: 'alice' },
    });
    const groups = await answered(client, 'query', { pql: 'FIND Host GROUP BY region' });
    const count = await answered(client, 'query', { pql: 'FIND Host RETURN COUNT' });

    expect(entities['entities']).toHaveLength(2);
    expect(JSON.stringify(entities['entities'])).not.toContain('synced_at');
    expect(entities['cut']).toEqual({
      shown: 2,
      of: entities['count'],
      bound: 'rows',
      hint: expect.any(String),
    });
    expect([rows['columns'], rows['rows'], 'cut' in rows]).toEqual([['u._key'], [['alice']], false]);
    expect(groups['groups']).toEqual([
      { key: 'eu-west-1', count: 2 },
      { key: 'us-east-1', count: 3 },
    ]);
    expect([count['count'], 'entities' in count, 'cut' in count]).toEqual([5, false, false]);
  });

  it('answer a mistyped query with the position and a hint', async () => {
    const pql = 'FIND host host2';
    const rest = await service.json(400, 'POST', '/v1/query', { pql });

    const queried = await refused(client, 'query', { pql });
    const explained = await refused(client, 'explain', { pql });

    expect(queried).toMatchObject({
      error: 'PQL_SYNTAX',
      message: rest['message'],
      position: 10,
      line: 1,
      column: 11,
    });
    expect(queried).toMatchObject({
      hint: 'an alias is written AS host2',
      shown: expect.stringContaining('^^^^^'),
    });
    expect(explained).toEqual(queried);
  });

  it.each([
    ['a parameter without value', 'query', { pql: 'FIND host WITH os = $os' }, 'MISSING_PARAMETER'],
    ['a field that there is not', 'query', { pql: 'FIND host', write: true }, 'INVALID_REQUEST'],
    ['a limit beyond the bound', 'query', { pql: 'FIND host', limit: 501 }, 'INVALID_REQUEST'],
    ['no query', 'query', {}, 'INVALID_REQUEST'],
    ['an entity that there is not', 'neighbors', { entity: 'nobody' }, 'NOT_FOUND'],
    ['a rule that there is not', 'findings', { rule: 'none' }, 'NOT_FOUND'],
    ['a number for a text', 'find_entity', { text: 7 }, 'INVALID_REQUEST'],
    [
      'a query that takes too long',
      'query',
      { pql: 'FIND * THAT RELATES TO{1..10} *', timeout_ms: 0 },
      'INVALID_REQUEST',
    ],
  ])('answer %s by a result with code and hint', async (_what, name, args, error) => {
    const told = await refused(client, name, args);

    expect(told).toMatchObject({
      error,
      message: expect.stringMatching(/./),
      hint: expect.stringMatching(/./),
    });
  });

  it('explain returns the plan without running the query', async () => {
    const { plan, count } = await answered(client, 'explain', { pql: 'FIND host' });

    expect([plan, count]).toEqual([expect.objectContaining({ operator: 'Find' }), undefined]);
    expect(await refused(client, 'explain', { pql: 'PROFILE FIND host' })).toMatchObject({
      line: 1,
      column: 1,
    });
  });

  it.each(['FIND hots', 'EXPLAIN FIND hots', "FIND host WITH ow = 'x'"])(
    'explain and query warn at the same position of %s',
    async (pql) => {
      const explained = await answered(client, 'explain', { pql });
      const queried = await answered(client, 'query', { pql });

      expect(queried['warnings']).toMatchObject([{ position: expect.any(Number) }]);
      expect(explained['warnings']).toEqual(queried['warnings']);
    },
  );

  it('schema returns the names in the data', async () => {
    const whole = await answered(client, 'schema');
    const host = await answered(client, 'schema', { type: 'host' });

    expect(whole['types']).toContainEqual(
      expect.objectContaining({ name: 'host', properties: expect.arrayContaining(['os']) }),
    );
    expect(whole['verbs']).toContainEqual(expect.objectContaining({ name: 'ASSIGNED' }));
    expect(host['types']).toEqual([
      expect.objectContaining({
        properties: expect.arrayContaining([expect.objectContaining({ name: 'os' })]),
      }),
    ]);
    expect(await answered(client, 'schema', { class: 'None' })).toMatchObject({
      types: [],
      note: expect.any(String),
    });
  });

  it('find_entity returns exact matches before partial ones', async () => {
    const part = await answered(client, 'find_entity', { text: 'WEB-0' });
    const exact = await answered(client, 'find_entity', { text: 'web-02', limit: 1 });
    const none = await answered(client, 'find_entity', { text: '%' });

    expect(part['count']).toBe(2);
    expect(exact['entities']).toEqual([expect.objectContaining({ key: 'web-02' })]);
    expect(none['count']).toBe(0);
    expect(await answered(client, 'find_entity', { text: 'web-01', kind: 'host` RETURN `x' })).toMatchObject({
      count: 0,
    });
  });

  it('neighbors returns related entities with the direction', async () => {
    const { entity, neighbors, count } = await answered(client, 'neighbors', {
      entity: 'alice',
      type: 'user',
    });

    expect(entity).toMatchObject({ type: 'user', key: 'alice' });
    expect(neighbors).toHaveLength(count as number);
    expect(neighbors).toContainEqual(expect.objectContaining({ direction: 'out', verb: 'ASSIGNED' }));
    expect(
      await answered(client, 'neighbors', { entity: 'alice', verb: 'assigned', limit: 1 }),
    ).toMatchObject({ count: 1 });
  });

  it('shortest_path and blast_radius return paths', async () => {
    const path = await answered(client, 'shortest_path', {
      from: 'alice',
      from_type: 'user',
      to: 'customers',
    });
    const unknown = await answered(client, 'shortest_path', { from: 'alicia', to: 'customers' });
    const blast = await answered(client, 'blast_radius', { entity: 'alice', direction: 'out', limit: 1 });

    expect(path['count']).toBe(1);
    expect(unknown).toMatchObject({
      count: 0,
      paths: [],
      warnings: [expect.objectContaining({ code: 'UNKNOWN_KEY' })],
    });
    expect(blast).toMatchObject({ impacted: [{ depth: 1 }], cut: { shown: 1, bound: 'rows' } });
  });

  it('posture and findings do not store an evaluation', async () => {
    await service.json(200, 'POST', '/v1/policies', RULES_BODY);
    const before = await answered(client, 'posture');
    const [rule] = service.policies.rules.list();
    const found = await answered(client, 'findings', { rule: rule?.rule.id ?? '' });
    const listed = await answered(client, 'findings');

    expect(before['not_evaluated']).toBe(service.policies.rules.list().length);
    expect(found).toMatchObject({ rule: { rule_id: rule?.rule.id }, findings: expect.any(Array) });
    expect(listed['rules']).toContainEqual(expect.objectContaining({ status: 'never evaluated' }));
    expect(service.policies.history.list()).toEqual([]);

    await service.json(200, 'POST', '/v1/policies/evaluate', {});
    expect(await answered(client, 'posture')).toMatchObject({
      not_evaluated: 0,
      overall_score: expect.any(Number),
    });
  });

  it('truncate large results and report it', async () => {
    const note = 'x'.repeat(100_000);
    const entities = Array.from({ length: 100 }, (_, i) => ({
      type: 'blob',
      key: `b${i}`,
      properties: { note, i },
    }));
    await service.json(200, 'POST', '/v1/ingest/write', { entities });
    const many = Array.from({ length: 400 }, (_, i) => ({
      type: 'item',
      key: `i${i}`,
      properties: { text: 'y'.repeat(500) },
    }));
    await service.json(200, 'POST', '/v1/ingest/write', { entities: many });

    const blobs = await answered(client, 'query', { pql: 'FIND blob', limit: 3 });
    const items = await answered(client, 'query', { pql: 'FIND item', limit: 500 });

    expect([blobs['count'], blobs['shortened']]).toEqual([100, 3]);
    expect(JSON.stringify(blobs['entities'])).toContain('… (100000 characters)');
    expect(items['cut']).toMatchObject({ of: 400, bound: 'bytes' });
    expect(JSON.stringify(items).length).toBeLessThan(80_000);
  });

  it('write nothing, whatever their arguments', async () => {
    const version = service.graph.durableVersion;
    const hostile = [
      'FIND host; DELETE host',
      'DELETE host',
      "CREATE host WITH _key = 'x'",
      'FIND host SET os = 1',
      '../v1/ingest/write',
      '/v1/entities/1?method=DELETE',
      "x' OR 1 = 1 --",
      '`',
      '$1',
      '\u0000',
    ];

    for (const text of hostile)
      for (const { name, inputSchema } of TOOLS) {
        const fields = Object.entries(inputSchema['properties'] as Record<string, { type?: string }>);
        const texts = fields
          .filter(([, { type }]) => type === 'string')
          .map(([field]) => [field, text] as const);
        await call(client, name, Object.fromEntries(texts));
      }
    for (const name of ['write', 'ingest', 'delete', '__proto__', 'constructor'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow('no tool');

    expect(service.graph.durableVersion).toBe(version);
  });
});

describe('resources and prompts', () => {
  it('offer the schema, the PQL reference and the saved queries', async () => {
    const service = await start({ environment: ON });
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await service.json(200, 'PUT', '/v1/queries/a%20b%2Fc', { text: 'FIND host' });
    const client = await connected(service);
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents;
      return content !== undefined && 'text' in content ? content.text : '';
    };

    const { resources } = await client.listResources();

    expect(resources.map(({ uri }) => uri)).toEqual([
      'plexus://schema',
      'plexus://pql',
      'plexus://queries',
      'plexus://queries/a%20b%2Fc',
    ]);
    expect(await read('plexus://pql')).toBe(
      readFileSync(new URL('../../../docs/pql.md', import.meta.url), 'utf8'),
    );
    expect(await read('plexus://schema')).toContain('"ASSIGNED"');
    expect(await read('plexus://queries')).toContain('"a b/c"');
    expect(JSON.parse(await read('plexus://queries/a%20b%2Fc'))).toMatchObject({ text: 'FIND host' });
    for (const uri of [
      'plexus://none',
      'file:///etc/passwd',
      'plexus://queries/%E0',
      'plexus://queries/../schema',
    ])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32_002 });
  });

  it('offer prompts with required arguments', async () => {
    const service = await start({ environment: ON });
    const client = await connected(service);

    const { prompts } = await client.listPrompts();
    const blast = await client.getPrompt({ name: 'blast_radius', arguments: { entity: 'web-01' } });

    expect(prompts.map(({ name }) => name)).toContain('access_path');
    expect(JSON.stringify(blast.messages)).toContain('What is affected if web-01 is compromised');
    await expect(client.getPrompt({ name: 'blast_radius' })).rejects.toThrow('entity: expected a text');
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow('no prompt');
  });
});

describe('sessions', () => {
  it('are bounded in number: the longest idle one is closed', async () => {
    const service = await start({ environment: ON });
    const sessions = service.get(McpSessions);
    const first = await connected(service);

    for (let i = 0; i < SESSIONS_MAX; i++) expect(await statusOf(`${service.url}/mcp`, {})).toBe(200);

    expect(sessions.size).toBe(SESSIONS_MAX);
    await expect(first.listTools()).rejects.toThrow('no such session');
  });

  it('end when idle, and on request of the client', async () => {
    const clock = new TurnedClock();
    const service = await start({ environment: ON, clock });
    const sessions = service.get(McpSessions);
    const idle = await connected(service);
    clock.turn(SESSION_IDLE_MS + 1);
    const client = await connected(service);

    expect(sessions.size).toBe(1);
    await expect(idle.listTools()).rejects.toThrow('no such session');
    await (client.transport as StreamableHTTPClientTransport).terminateSession();
    expect(sessions.size).toBe(0);
  });

  const begun = async (service: TestService): Promise<Record<string, string>> => {
    const body = JSON.stringify(INITIALIZE);
    const reply = await fetch(`${service.url}/mcp`, { method: 'POST', headers: PROTOCOL, body });
    await reply.text();
    return { ...PROTOCOL, 'Mcp-Session-Id': reply.headers.get('mcp-session-id') ?? '' };
  };
  const slowCall = (id: number): string => {
    const params = { name: 'query', arguments: { pql: SLOW_QUERY, timeout_ms: 60_000 } };
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  };
  /** Admitted queries: running, or waiting for a slot. */
  const atWork = async (service: TestService): Promise<number> => {
    const { text } = await service.call('GET', '/metrics');
    return ['running', 'waiting']
      .map((state) => Number(new RegExp(`^plexus_queries_${state} (\\d+)`, 'm').exec(text)?.[1]))
      .reduce((sum, count) => sum + count);
  };

  it('cancel the query of a client that disconnects', async () => {
    const service = await start({ environment: ON });
    await service.json(200, 'POST', '/v1/ingest/write', clique(60));
    const headers = await begun(service);
    const leaving = new AbortController();

    const request = { method: 'POST', headers, body: slowCall(2), signal: leaving.signal };
    const reply = await fetch(`${service.url}/mcp`, request);
    while ((await atWork(service)) === 0);
    leaving.abort();
    await reply.text().catch(() => undefined);

    while ((await atWork(service)) > 0);
    expect(service.get(McpSessions).size).toBe(1);
  });

  it('cancel the query of a client that stops reading', async () => {
    const service = await start({ environment: ON });
    await service.json(200, 'POST', '/v1/ingest/write', clique(60));
    const headers = await begun(service);
    const sockets: Socket[] = [];
    const server = service.get<HttpAdapterHost>(HttpAdapterHost).httpAdapter.getHttpServer() as Server;
    server.on('connection', (socket: Socket) => sockets.push(socket));

    const sent = request(`${service.url}/mcp`, { method: 'POST', headers });
    sent.on('error', () => undefined).end(slowCall(2));
    while ((await atWork(service)) === 0);
    expect(sockets[0]?.timeout).toBe(60_000);
    // As after a minute without traffic.
    sockets[0]?.emit('timeout');

    while ((await atWork(service)) > 0);
    expect(sockets[0]?.destroyed).toBe(true);
  });

  it('end if a client cancels without end', async () => {
    const service = await start({ environment: ON });
    const headers = await begun(service);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    const body = JSON.stringify(Array.from({ length: 16 }, () => cancelled));
    let status = 202;

    for (let sent = 0; status === 202 && sent < 100; sent++) {
      const reply = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body });
      status = reply.status;
      await reply.text();
    }

    expect([status, service.get(McpSessions).size]).toEqual([404, 0]);
  });

  it('bound the number of pending requests', async () => {
    const service = await start({ environment: ON });
    await service.json(200, 'POST', '/v1/ingest/write', clique(60));
    const headers = await begun(service);
    const leaving = new AbortController();
    const post = (id: number) =>
      fetch(`${service.url}/mcp`, { method: 'POST', headers, body: slowCall(id), signal: leaving.signal });

    const replies = await Promise.all(Array.from({ length: REQUESTS_MAX }, (_, id) => post(id + 2)));
    const refused = await post(99);

    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('TOO_BUSY')]);
    leaving.abort();
    while ((await atWork(service)) > 0);
  });
});
