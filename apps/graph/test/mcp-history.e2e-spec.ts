/** What changed between two moments, for models: whole by its cursors, however large. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { TestService } from './support/test-service.ts';

type Answer = Readonly<Record<string, unknown>>;

const HOSTS = 40;
/** Too much for one answer, together. */
const TEXT = 'x'.repeat(5_000);
const KEYS = Array.from({ length: HOSTS }, (_, at) => `h${String(at).padStart(2, '0')}`);

let service: TestService;
let client: Client;

beforeAll(async () => {
  service = await TestService.start({ environment: { PLEXUS_MCP: 'on' } });
  const write = (entities: readonly object[]): Promise<unknown> =>
    service.json(200, 'POST', '/v1/ingest/write', { entities, relationships: [] });
  const host = (key: string, properties: object): object => ({
    type: 'host',
    key,
    class: 'Host',
    properties,
  });
  await write([host('db', { state: 'up' }), host('h00', { state: 'up' })]);
  await write(KEYS.map((key) => host(key, { text: TEXT })));
  await service.json(200, 'POST', '/v1/policies', {
    rules: [
      { id: 'large', query: 'FIND Host WITH text EXISTS', severity: 'high' },
      { id: 'other', query: "FIND Host WITH state = 'up'", population: 'FIND Host' },
    ],
  });
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
  // Listing the tools loads the schemas, against which the client checks answers.
  await client.listTools();
});

afterAll(async () => {
  await client.close();
  await service.stop();
});

async function answer(name: string, args: Answer): Promise<Answer> {
  const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: { ...args } }));
  expect([result.isError ?? false, result.content]).toEqual([false, result.content]);
  return result.structuredContent ?? {};
}

/** The items of all answers; what is written meanwhile belongs to none. */
async function all(name: string, args: Answer, list: string): Promise<readonly (readonly Answer[])[]> {
  const pages: (readonly Answer[])[] = [];
  for (let next: Answer = args; ;) {
    const got = await answer(name, next);
    pages.push(got[list] as readonly Answer[]);
    if (got['cursor'] === undefined) return pages;
    const entities = [{ type: 'host', key: `late${pages.length}`, class: 'Host' }];
    await service.json(200, 'POST', '/v1/ingest/write', { entities, relationships: [] });
    next = { ...args, from: undefined, cursor: got['cursor'] };
  }
}

describe('history over MCP', () => {
  it('shows all changes, as many at a time as fit', async () => {
    const pages = await all('changes', { from: 1, kind: 'Host', limit: 100 }, 'changes');

    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flat().map(({ key }) => key)).toEqual(KEYS);
  });

  it('shows the rows of a query that came and went', async () => {
    const pages = await all('query_changes', { from: 1, pql: 'FIND Host', limit: 15 }, 'rows');
    const first = await answer('query_changes', { from: 1, to: 2, pql: 'FIND Host RETURN _key, state' });
    const rows = pages.flat();

    expect(pages.length).toBeGreaterThan(3);
    expect(rows.slice(0, HOSTS - 1)).toMatchObject(
      KEYS.slice(1).map((key) => ({ change: 'came', row: { key } })),
    );
    expect(first).toMatchObject({ from: 1, to: 2, came: HOSTS, went: 1, columns: ['_key', 'state'] });
    expect((first['rows'] as readonly Answer[]).at(-1)).toEqual({
      change: 'went',
      row: { _key: 'h00', state: 'up' },
    });
  });

  it('shows the findings that opened and closed, of all rules or of one', async () => {
    const both = await answer('finding_changes', { from: 1, to: 2 });
    const one = await answer('finding_changes', { from: 1, to: 2, rule: 'other' });

    expect(both).toMatchObject({ opened: HOSTS, closed: 1 });
    expect(both['rules']).toMatchObject([
      { rule_id: 'large', opened_count: HOSTS, opened: Array(20).fill({ class: 'Host' }) },
      { rule_id: 'other', closed: [{ label: 'host h00' }] },
    ]);
    expect(one).toMatchObject({ opened: 0, closed: 1, rules: [{ rule_id: 'other' }] });
  });
});
