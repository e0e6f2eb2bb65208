import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOOLS } from '#graph/api/mcp';
import { runProgram, startProgram, startServer } from './support/built-program.ts';
import { clique, ESTATE, SLOW_QUERY } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

const MAIN = fileURLToPath(new URL('../../../dist/programs/graph.js', import.meta.url));
const RULES = fileURLToPath(new URL('../../../rules/starter', import.meta.url));
const KEY = 'a-key-for-models';
const LINES = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const INITIALIZE = LINES({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const query = (pql: string) =>
  LINES({ id: 2, method: 'tools/call', params: { name: 'query', arguments: { pql, timeout_ms: 60_000 } } });

describe('plexus mcp', () => {
  let directory: string;
  let dataDir: string;
  const clients: Client[] = [];
  const services: TestService[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-mcp-'));
    dataDir = join(directory, 'data');
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await rm(directory, { recursive: true, force: true });
  });

  const connected = async (args: readonly string[], env: Record<string, string> = {}): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    clients.push(client);
    const options = { command: process.execPath, args: [MAIN, 'mcp', ...args], env, stderr: 'pipe' as const };
    await client.connect(new StdioClientTransport(options));
    return client;
  };
  const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
    await client.listTools();
    return CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
  };
  const load = async (lines: readonly object[]): Promise<void> => {
    const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    expect(await runProgram(['ingest', '-', '--data-dir', dataDir], { stdin })).toMatchObject({ code: 0 });
  };
  const host = { op: 'entity', type: 'host', key: 'web-01', class: 'Host', properties: { os: 'linux' } };
  const service = { op: 'entity', type: 'service', key: 'nginx' };
  const runs = {
    op: 'relationship',
    from: { type: 'host', key: 'web-01' },
    verb: 'RUNS',
    to: { type: 'service', key: 'nginx' },
  };

  it('answers over a data directory', async () => {
    await load([host, service, runs]);
    const client = await connected(['--data-dir', dataDir, '--rules', RULES]);

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const found = await call(client, 'query', { pql: 'FIND host' });
    const near = await call(client, 'neighbors', { entity: 'web-01' });
    const rules = await call(client, 'findings', {});
    const [first] = rules.structuredContent?.['rules'] as readonly { rule_id: string }[];
    const looked = await call(client, 'findings', { rule: first?.rule_id });
    const posture = await call(client, 'posture', {});
    const wrong = await call(client, 'query', { pql: 'FIND host host2' });
    const schema = await client.readResource({ uri: 'plexus://schema' });
    const reference = await client.readResource({ uri: 'plexus://pql' });

    expect(found.structuredContent).toMatchObject({ count: 1, entities: [{ key: 'web-01' }] });
    expect(near.structuredContent).toMatchObject({
      count: 1,
      neighbors: [{ verb: 'RUNS', direction: 'out' }],
    });
    expect(rules.structuredContent?.['count']).toBe(31);
    expect(looked.structuredContent).toMatchObject({
      rule: { rule_id: first?.rule_id },
      findings: expect.any(Array),
    });
    expect(posture.structuredContent).toMatchObject({ not_evaluated: 31 });
    expect([wrong.isError, JSON.stringify(wrong.content)]).toEqual([
      true,
      expect.stringContaining('an alias is written AS'),
    ]);
    expect(JSON.stringify(schema.contents)).toContain('RUNS');
    expect(JSON.stringify(reference.contents)).toContain('# PQL, the query language');
  });

  it('answers over a server, with the key of the environment', async () => {
    const server = await TestService.start({ environment: { PLEXUS_API_KEY: KEY } });
    services.push(server);
    const keyed = { Authorization: `Bearer ${KEY}` };
    await server.json(200, 'POST', '/v1/ingest/sync', ESTATE, keyed);
    await server.json(200, 'PUT', '/v1/queries/hosts', { text: 'FIND host' }, keyed);
    const client = await connected(['--url', server.url], { PLEXUS_API_KEY: KEY });
    const calls: Record<string, Record<string, unknown>> = {
      query: { pql: 'FIND host' },
      explain: { pql: 'FIND host' },
      schema: {},
      search: { text: 'web' },
      find_entity: { text: 'web-01' },
      neighbors: { entity: 'web-01', verb: 'RUNS', direction: 'out', limit: 5 },
      shortest_path: { from: 'alice', to: 'customers' },
      blast_radius: { entity: 'alice' },
      changes: { from: '1' },
      query_changes: { from: '1', pql: 'FIND host' },
      posture: {},
      findings: {},
      finding_changes: { from: '1' },
    };

    expect(Object.keys(calls)).toEqual(TOOLS.map(({ name }) => name));
    for (const [name, args] of Object.entries(calls)) {
      const { isError, content } = await call(client, name, args);
      expect([name, isError ?? false, content]).toEqual([name, false, content]);
    }
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('plexus://queries/hosts');
    const wrong = await call(client, 'explain', { pql: 'FIND host host2' });
    expect(JSON.stringify(wrong.content)).toContain('(line 1, column 11)');
  });

  it('is served at /mcp of the built server on request, and does not delay its shutdown', async () => {
    await load([host]);
    const server = await startServer(['--data-dir', dataDir], { PLEXUS_MCP: 'on' });
    const client = new Client({ name: 'test', version: '1' });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));

    const found = await call(client, 'query', { pql: 'FIND host RETURN COUNT' });
    const reference = await client.readResource({ uri: 'plexus://pql' });

    expect(found.structuredContent).toMatchObject({ count: 1 });
    expect(JSON.stringify(reference.contents)).toContain('# PQL, the query language');
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it('reports an unreachable server and a wrong key to the model', async () => {
    const server = await TestService.start({ environment: { PLEXUS_API_KEY: KEY } });
    services.push(server);
    const away = await connected(['--url', 'http://127.0.0.1:9']);
    const keyless = await connected(['--url', server.url]);

    const unreachable = await call(away, 'schema');
    const refused = await call(keyless, 'schema');

    expect([unreachable.isError, JSON.stringify(unreachable.content)]).toEqual([
      true,
      expect.stringContaining('no server answers'),
    ]);
    expect([refused.isError, JSON.stringify(refused.content)]).toEqual([
      true,
      expect.stringContaining('missing or invalid API key'),
    ]);
  });

  it('fails without a data directory', async () => {
    const run = await runProgram(['mcp', '--data-dir', dataDir]);

    expect([run.code, run.stdout, run.stderr]).toEqual([1, '', expect.stringContaining('no data directory')]);
  });

  it('ends with 1 when its input ends and no server answers, and tells it at the start', async () => {
    const run = await runProgram(['mcp', '--url', 'http://127.0.0.1:9'], { stdin: INITIALIZE });

    const said = 'no server answers at http://127.0.0.1:9';
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('"id":1');
    expect(run.stderr).toBe(`error: ${said}; requests fail until it does\nplexus: ${said}\n`);
  });

  it('answers the requests received before its input ended, and writes only messages to its output', async () => {
    await load([host]);

    const run = await runProgram(['mcp', '--data-dir', dataDir], {
      stdin: INITIALIZE + query('FIND host RETURN COUNT'),
    });

    expect([run.code, run.stderr]).toEqual([0, '']);
    const answers = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    expect(answers).toMatchObject([{ id: 1 }, { id: 2, result: { structuredContent: { count: 1 } } }]);
  });

  const asked = async (child: ChildProcessWithoutNullStreams): Promise<void> => {
    const lines = createInterface(child.stdout);
    child.stdin.write(INITIALIZE);
    await once(lines, 'line');
    child.stdin.write(query(SLOW_QUERY));
  };

  it('cancels the query of a disconnected client, and exits', async () => {
    const { entities, relationships } = clique(60) as { entities: object[]; relationships: object[] };
    await load([
      ...entities.map((entity) => ({ op: 'entity', ...entity })),
      ...relationships.map((relationship) => ({ op: 'relationship', ...relationship })),
    ]);
    const child = startProgram(['mcp', '--data-dir', dataDir]);
    const closed = once(child, 'close');
    await asked(child);

    child.stdin.end();
    child.stdout.destroy();

    expect((await closed)[0]).toBe(0);
  });

  it('releases the data directory on SIGTERM', async () => {
    await load([host]);
    const child = startProgram(['mcp', '--data-dir', dataDir]);
    const closed = once(child, 'close');
    await asked(child);

    child.kill('SIGTERM');

    expect((await closed)[0]).toBe(0);
    expect(await runProgram(['stats', '--data-dir', dataDir])).toMatchObject({ code: 0 });
  });
});
