/**
 * A key with a scope, and a service without what its scope hides: both give the same answers over every
 * interface.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j from 'neo4j-driver';
import { callFault, GraphCaller } from '#graph/testing';
import { entityId, relationshipId } from '#graph/model';
import { GRAPH_ACCESS } from '#platform/auth';
import { keyLine, keysOfRoles, secretOf } from '#testing';
import { tokenOf } from './support/seq-token.ts';
import { type Answer, TestService } from './support/test-service.ts';

const as = (role: string): Record<string, string> => ({ Authorization: `Bearer ${secretOf(role)}` });
const lacks = (who: string): string =>
  JSON.stringify({ error: 'Forbidden', message: `${who} lacks the permission read` });

const SHOWN = {
  connector_id: 'cmdb',
  sync_id: '1',
  entities: [
    { type: 'host', key: 'web', class: 'Host', properties: { os: 'linux', owner: 'alice' } },
    { type: 'host', key: 'db', class: 'Host', properties: { os: 'linux' } },
    { type: 'user', key: 'alice', class: 'User', properties: { mfa: true } },
  ],
  relationships: [
    { from: { type: 'user', key: 'alice' }, verb: 'OWNS', to: { type: 'host', key: 'web' } },
    { from: { type: 'host', key: 'web' }, verb: 'CONNECTS', to: { type: 'host', key: 'db' } },
  ],
};
/** The only short way from alice to db, other names, and properties that nothing else has. */
const HIDDEN = {
  connector_id: 'hr',
  sync_id: '1',
  entities: [
    { type: 'person', key: 'alice', class: 'Person', labels: ['Payroll'], properties: { salary: 1 } },
    { type: 'host', key: 'hr-box', class: 'Payroll', properties: { os: 'aix', vault: 'yes' } },
  ],
  relationships: [
    { from: { type: 'user', key: 'alice' }, verb: 'IS', to: { type: 'person', key: 'alice' } },
    { from: { type: 'person', key: 'alice' }, verb: 'EARNS_ON', to: { type: 'host', key: 'hr-box' } },
    { from: { type: 'host', key: 'hr-box' }, verb: 'CONNECTS', to: { type: 'host', key: 'db' } },
    { from: { type: 'user', key: 'alice' }, verb: 'ADMINISTERS', to: { type: 'host', key: 'db' } },
  ],
};
const WEB = entityId('host', 'web');
const BOX = entityId('host', 'hr-box');
const LINK = relationshipId(BOX, 'CONNECTS', entityId('host', 'db'));
const ADMINISTERS = relationshipId(entityId('user', 'alice'), 'ADMINISTERS', entityId('host', 'db'));

const SCOPES: Readonly<Record<string, string>> = {
  'a class and a label': '{ permissions: [read], except: { classes: [Payroll] } }',
  'all but one source': '{ permissions: [read], only: { sources: [cmdb] } }',
  'two sources': '{ permissions: [read], except: { sources: [hr, other] } }',
};

const PQL = [
  'FIND *',
  'FIND host WITH vault = "yes"',
  'FIND host WITH os = "aix"',
  'FIND person',
  'FIND Payroll',
  'FIND user THAT EARNS_ON host',
  'FIND host GROUP BY os',
  'FIND * RETURN COUNT',
  'FIND SHORTEST PATH FROM user TO host WITH _key = "db"',
  'FIND BLAST RADIUS FROM user DEPTH 4',
  'FIND host AS h THAT CONNECTS host AS o RETURN h._key, o._key',
  'FIND user THAT !IS person',
];
const CYPHER = [
  'MATCH (n) RETURN n._key AS key ORDER BY n._type, key',
  'MATCH (n) RETURN count(n) AS n',
  'MATCH (n:Payroll) RETURN n._key',
  'MATCH (a)-[r]->(b) RETURN a._key, type(r) AS verb, b._key ORDER BY a._key, verb, b._key',
  'MATCH p = shortestPath((:user)-[*]->(:host {_key: "db"})) RETURN length(p)',
  'CALL db.labels() YIELD label RETURN label ORDER BY label',
  'CALL db.relationshipTypes() YIELD relationshipType AS verb RETURN verb ORDER BY verb',
  'CALL db.propertyKeys() YIELD propertyKey AS name RETURN name ORDER BY name',
  'SHOW CONSTRAINTS',
  'MATCH (n {vault: "yes"}) RETURN n._key',
];

/** Each would tell of what is hidden in another way: by a word, by what has or lacks it, by a group. */
const RULES = [
  { id: 'payroll', query: 'FIND Payroll' },
  { id: 'lacking', query: 'FIND user THAT !IS person', may_be_absent: ['person', 'IS'] },
  { id: 'linked', query: 'FIND user THAT ADMINISTERS host', may_be_absent: ['ADMINISTERS'] },
  { id: 'systems', query: 'FIND host GROUP BY os' },
  { id: 'boxes', query: 'FIND host WITH os = "aix"', population: 'FIND host' },
  { id: 'vaults', query: 'FIND host WITH valt = "yes"' },
  { id: 'many', query: 'FIND host', expect: { min: 3 } },
  { id: 'near', query: 'FIND SHORTEST PATH FROM user TO host WITH _key = "db"' },
  { id: 'reach', query: 'FIND BLAST RADIUS FROM user DEPTH 4' },
  {
    id: 'waived',
    query: 'FIND host',
    exceptions: [{ match: 'os = "aix"', reason: 'kept by HR' }],
  },
  { id: 'cypher', cypher: 'MATCH (n:host)<-[:EARNS_ON]-() RETURN n', population: 'MATCH (n:host) RETURN n' },
  {
    id: 'pairs',
    cypher: 'MATCH (a)-[r]->(b) RETURN a._key, type(r), b._key ORDER BY a._key, type(r), b._key',
  },
].map((rule) => ({ severity: 'high', frameworks: [{ framework: 'F', control: rule.id }], ...rule }));

/** What differs between two services with the same data, beside times: numbers of the store. */
const OWN = new Set([
  'at',
  'evaluation_id',
  'first_seen',
  'snapshot_version',
  'took_ms',
  'version',
  'uptime_seconds',
  'storage',
  'since',
  'request_id',
]);

function comparable(text: string): unknown {
  // Of a difference, `to` is the number of a batch; of a relationship, an end.
  const isBatch = (name: string, value: unknown): boolean => name === 'to' && typeof value === 'number';
  return JSON.parse(text, (name, value: unknown) =>
    OWN.has(name) || name.endsWith('_at') || isBatch(name, value) ? undefined : value,
  );
}

const shown = ({ status: code, text }: Answer): readonly unknown[] => [
  code,
  text.split('\n').flatMap((line) => (line === '' ? [] : [comparable(line)])),
];

describe.each(Object.entries(SCOPES))('a key whose scope is %s', (_what, scope) => {
  let directory: string;
  let whole: TestService;
  let part: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-scopes-'));
    const keys = join(directory, 'keys.yaml');
    await writeFile(keys, keysOfRoles(GRAPH_ACCESS, keyLine('scoped'), 'roles:', `  scoped: ${scope}`));
    const environment = { PLEXUS_KEYS: keys, PLEXUS_MCP: 'on', PLEXUS_GRPC_PORT: '0', PLEXUS_BOLT_PORT: '0' };
    whole = await TestService.start({ environment });
    part = await TestService.start({ environment });
    const isOfHr = scope.includes('sources');
    // A scope without sources shows what HR states between two entities of others.
    const links = isOfHr ? [] : HIDDEN.relationships.slice(-1);
    const seen = { ...HIDDEN, entities: [], relationships: links };
    for (const [service, more] of [
      [whole, HIDDEN],
      [part, seen],
    ] as const) {
      await service.json(200, 'POST', '/v1/ingest/sync', SHOWN, as('admin'));
      await service.json(200, 'POST', '/v1/ingest/sync', more, as('admin'));
      await service.json(200, 'POST', '/v1/policies', { rules: RULES }, as('admin'));
      await service.json(200, 'POST', '/v1/policies/evaluate', {}, as('admin'));
      const isPart = service === part;
      const canvas = {
        nodes: (isPart ? [WEB] : [WEB, BOX]).map((id) => ({ id, x: 0, y: 0 })),
        relationships: isPart ? [] : [LINK],
        hidden_classes: isPart ? ['Host'] : ['Payroll', 'Host'],
      };
      const view = { text: 'FIND host', view: 'graph', canvas };
      await service.json(200, 'PUT', '/v1/views/boxes', view, as('admin'));
      for (const name of canvas.hidden_classes)
        await service.json(200, 'PUT', `/v1/class-styles/${name}`, { icon: 'server' }, as('admin'));
    }
  });
  afterAll(async () => {
    await whole.stop();
    await part.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** The answers of both. */
  const both = async (...call: Parameters<TestService['call']>): Promise<readonly (readonly unknown[])[]> => {
    const [method, path, body, headers = {}] = call;
    const own = await whole.call(method, path, body, { ...headers, ...as('scoped') });
    const other = await part.call(method, path, body, { ...headers, ...as('viewer') });
    return [shown(own), shown(other)];
  };

  it.each(PQL)('answers as if the rest did not exist: %s', async (pql) => {
    const [page, expectedPage] = await both('POST', '/v1/query', { pql });
    const [lines, expectedLines] = await both(
      'POST',
      '/v1/query',
      { pql },
      { Accept: 'application/x-ndjson' },
    );

    expect(page).toEqual(expectedPage);
    expect(lines).toEqual(expectedLines);
  });

  it.each(CYPHER)('answers as if the rest did not exist: %s', async (cypher) => {
    const [own, expected] = await both('POST', '/v1/cypher', { cypher });
    const rows = await rowsOverBolt(whole, 'scoped', cypher);
    const expectedRows = await rowsOverBolt(part, 'viewer', cypher);

    expect(own).toEqual(expected);
    expect(rows).toEqual(expectedRows);
  });

  it.each([
    `/v1/entities/${WEB}`,
    `/v1/entities/${WEB}?sources=true`,
    `/v1/entities/${WEB}/neighbors`,
    `/v1/entities/${BOX}`,
    `/v1/entities/${BOX}/neighbors`,
    `/v1/entities/${entityId('user', 'alice')}/neighbors`,
    `/v1/relationships/${LINK}`,
    `/v1/relationships/${ADMINISTERS}?sources=true`,
    '/v1/search?q=al',
    '/v1/search?q=hr-box',
    '/v1/stats',
    '/v1/schema',
    '/v1/views',
    '/v1/views/boxes',
    '/v1/class-styles',
    '/v1/policies',
    '/v1/policies/posture',
    '/v1/policies/posture?framework=F',
    ...RULES.flatMap(({ id }) => [`/v1/policies/${id}`, `/v1/policies/${id}/findings`]),
    `/v1/entities/${WEB}/findings`,
    `/v1/entities/${BOX}/findings`,
    `/v1/entities/${entityId('user', 'alice')}/findings`,
  ])('answers as if the rest did not exist: GET %s', async (path) => {
    const [own, expected] = await both('GET', path);

    expect(own).toEqual(expected);
  });

  it('lists findings, and what is decided about them, as if the rest did not exist', async () => {
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const pathOf = (id: string): string => `/v1/findings/${encodeURIComponent(`waived:${id}`)}`;
    const decide = async (service: TestService, id: string, reason: string) => {
      const path = pathOf(id);
      await service.json(200, 'PUT', `${path}/decision`, { state: 'accepted', reason, until }, as('admin'));
      await service.json(200, 'PUT', `${path}/assignment`, { assignee: `${reason}-team` }, as('admin'));
    };
    await decide(whole, WEB, 'web');
    await decide(part, WEB, 'web');
    await decide(whole, BOX, 'payroll');
    const queries = [
      '',
      '?limit=1000',
      '?state=accepted',
      '?q=hr-box',
      '?class=Payroll',
      '?assignee=payroll-team',
    ];
    const pages = ['?rule=pairs', '?sort=label&order=desc&limit=3&offset=2', '?assignee='];
    const files = ['?format=csv&sort=label', '?format=sarif'];
    const findings = [`waived:${WEB}`, `waived:${BOX}`, `payroll:${BOX}`, 'none:0', `many:${WEB}`];
    const bodies: string[] = [];

    for (const query of [...queries, ...pages]) {
      const [own, expected] = await both('GET', `/v1/findings${query}`);
      bodies.push(JSON.stringify(own));
      expect(own).toEqual(expected);
    }
    for (const id of findings) {
      const [own, expected] = await both('GET', `/v1/findings/${encodeURIComponent(id)}`);
      expect(own).toEqual(expected);
    }
    for (const query of files) {
      const { status: code, text } = await whole.call('GET', `/v1/findings${query}`, undefined, as('scoped'));
      expect(code).toBe(200);
      expect(text).not.toMatch(/payroll-team|hr-box/);
    }
    const times = await Promise.all(
      ['opened_since=24h', 'opened_before=2027-01-01'].map((query) =>
        whole.call('GET', `/v1/findings?${query}`, undefined, as('scoped')),
      ),
    );

    for (const service of [whole, part])
      await service.json(200, 'DELETE', `${pathOf(WEB)}/decision`, undefined, as('admin'));
    await part.json(200, 'POST', '/v1/policies/evaluate', {}, as('admin'));

    expect(bodies[1]).toContain('web-team');
    expect(bodies.join('')).not.toContain('payroll-team');
    expect(times.map(({ status: code }) => code)).toEqual([400, 400]);
  });

  it('answers what came and went of a query as if the rest did not exist', async () => {
    const pql = 'FIND * AS e RETURN e._type, e._key';
    const ofBoth = await both('POST', '/v1/diff', { pql, from: 0 });
    const [own, expected] = ofBoth.map(([code, bodies]) => {
      const [{ came, went, rows }] = bodies as [Readonly<Record<string, unknown>>];
      return [code, came, went, rows];
    });

    expect(own).toEqual(expected);
    expect(own?.[0]).toBe(200);
    expect(JSON.stringify(own)).toContain('alice');
  });

  it('answers over gRPC as if the rest did not exist', async () => {
    const answers = async (service: TestService, role: string): Promise<unknown> => {
      const caller = new GraphCaller(service.grpcAddress, { key: secretOf(role) });
      const { items, summary } = await caller.query('FIND * RETURN _key, _type');
      const missing = await callFault(caller.entity(BOX));
      const neighbors = await caller.neighbors({ id: entityId('host', 'db') });
      const { types, classes, verbs } = await caller.schema();
      caller.close();
      return JSON.parse(
        JSON.stringify([items, summary.count, missing.status, neighbors.count, types, classes, verbs]),
      ) as unknown;
    };

    const own = await answers(whole, 'scoped');

    expect(own).toEqual(await answers(part, 'viewer'));
    expect(JSON.stringify(own)).toContain('NOT_FOUND');
  });

  it('refuses changes and differences over gRPC', async () => {
    const caller = new GraphCaller(whole.grpcAddress, { key: secretOf('scoped') });
    const faults = [
      await callFault(caller.changes({ from: '0' }).next()),
      await callFault(caller.diff({ from: '0' })),
    ];
    caller.close();

    expect(faults).toMatchObject(
      Array(2).fill({ status: 'PERMISSION_DENIED', details: 'scoped lacks the permission read' }),
    );
  });

  it('answers tools of MCP as if the rest did not exist, and refuses those that know everything', async () => {
    const calls: readonly (readonly [string, object])[] = [
      ['query', { pql: 'FIND host' }],
      ['query_changes', { pql: 'FIND host', from: 0 }],
      ['search', { text: 'hr' }],
      ['find_entity', { name: 'hr-box' }],
      ['schema', {}],
      ['neighbors', { key: 'db' }],
      ['blast_radius', { from: 'alice' }],
      ['posture', {}],
      ['findings', {}],
      ...RULES.map(({ id }) => ['findings', { rule: id }] as const),
    ];
    for (const [name, args] of calls)
      expect([name, await toolOver(whole, 'scoped', name, args)]).toEqual([
        name,
        await toolOver(part, 'viewer', name, args),
      ]);
    expect(await toolOver(whole, 'scoped', 'changes', { from: 0 })).toContain(
      'scoped lacks the permission read',
    );
    expect(await toolOver(whole, 'scoped', 'finding_changes', { from: 0 })).toContain(
      'scoped lacks the permission read',
    );
    expect(await toolOver(whole, 'scoped', 'explain', { pql: 'FIND host' })).toContain(
      'lacks the permission',
    );
  });

  it('is refused what would show sizes, sources, or what was found of everything', async () => {
    const asked = await Promise.all([
      whole.call('GET', '/v1/sources', undefined, as('scoped')),
      whole.call('GET', '/v1/policies/evaluations', undefined, as('scoped')),
      whole.call('GET', '/v1/policies/posture/history', undefined, as('scoped')),
      whole.call('GET', '/v1/notifications', undefined, as('scoped')),
      whole.call('GET', '/v1/connectors', undefined, as('scoped')),
      whole.call('GET', '/v1/diff?from=0', undefined, as('scoped')),
      whole.call('POST', '/v1/policies/diff', { from: 0 }, as('scoped')),
    ]);
    const plan = await whole.call('POST', '/v1/query', { pql: 'EXPLAIN FIND host' }, as('scoped'));
    const profile = { cypher: 'PROFILE MATCH (n) RETURN n' };
    const cypherPlan = await whole.call('POST', '/v1/cypher', profile, as('scoped'));

    expect(asked.map(({ status: code, text }) => [code, text])).toEqual(
      Array<unknown>(asked.length).fill([403, lacks('scoped')]),
    );
    expect([plan.status, cypherPlan.status]).toEqual([403, 403]);
  });

  it('judges rules anew when something comes into the scope, and when it leaves it', async () => {
    const shy = { type: 'host', key: 'shy', properties: { os: 'aix' } };
    const hidden = { ...HIDDEN, entities: [...HIDDEN.entities, { ...shy, class: 'Payroll' }] };
    const shown = { ...SHOWN, entities: [...SHOWN.entities, { ...shy, class: 'Host' }], priority: 1 };
    const posture = async () => (await both('GET', '/v1/policies')).map((reply) => JSON.stringify(reply));
    const sync = async (service: TestService, body: object) => {
      await service.json(200, 'POST', '/v1/ingest/sync', { ...body, sync_id: randomUUID() }, as('admin'));
      await part.json(200, 'POST', '/v1/policies/evaluate', {}, as('admin'));
    };

    await sync(whole, hidden);
    const before = await posture();
    await sync(whole, shown);
    await sync(part, shown);
    const inside = await posture();
    await sync(whole, SHOWN);
    await sync(part, SHOWN);
    const after = await posture();

    expect([before, inside, after].map(([own, expected]) => own === expected)).toEqual([true, true, true]);
    expect(inside[0]).not.toBe(before[0]);
    expect(after[0]).toBe(before[0]);
    await sync(whole, HIDDEN);
  });

  it('shows nothing of the past that is hidden now', async () => {
    const late = { type: 'host', key: 'late', class: 'Host' };
    const link = { from: { type: 'host', key: 'late' }, verb: 'CONNECTS', to: { type: 'host', key: 'web' } };
    const before = { ...SHOWN, entities: [...SHOWN.entities, late], relationships: [link] };
    const sync = (body: object): Promise<Answer> =>
      whole.call('POST', '/v1/ingest/sync', { ...body, sync_id: randomUUID() }, as('admin'));
    const { seq: asOf } = tokenOf(await sync(before));
    const keys = async (pql: string): Promise<unknown> => {
      const body = { pql, as_of: asOf };
      const { entities } = await whole.json(200, 'POST', '/v1/query', body, as('scoped'));
      return entities.map(({ key }) => key);
    };
    const asked = ['FIND host', 'FIND host THAT CONNECTS >> host WITH _key = "web"'];
    const byCypher = async (): Promise<unknown> => {
      const cypher = 'MATCH (n:host) RETURN n._key ORDER BY n._key';
      const { rows } = await whole.json(200, 'POST', '/v1/cypher', { cypher, as_of: asOf }, as('scoped'));
      return rows;
    };

    const seen = await Promise.all(asked.map(keys));
    const seenByCypher = await byCypher();
    await sync({ ...HIDDEN, entities: [...HIDDEN.entities, { ...late, class: 'Payroll' }], priority: 1 });
    const hidden = await Promise.all(asked.map(keys));
    const hiddenByCypher = await byCypher();
    await sync({ ...HIDDEN, priority: 0 });
    await sync(SHOWN);

    expect(seen).toEqual([['db', 'late', 'web'], ['late']]);
    expect(hidden).toEqual([['db', 'web'], []]);
    expect([seenByCypher, hiddenByCypher]).toEqual([
      [['db'], ['late'], ['web']],
      [['db'], ['web']],
    ]);
  });

  it('cannot go on with the result of another key', async () => {
    const first = await whole.json(200, 'POST', '/v1/query', { pql: 'FIND *', limit: 1 }, as('viewer'));
    const cursor = String(first['cursor']);

    const stolen = await whole.call('POST', '/v1/query', { cursor }, as('scoped'));
    const own = await whole.call('POST', '/v1/query', { cursor }, as('viewer'));

    expect([stolen.status, own.status]).toEqual([410, 200]);
    expect(stolen.text).toContain('CURSOR_EXPIRED');
  });
});

async function rowsOverBolt(service: TestService, role: string, text: string): Promise<unknown> {
  const driver = neo4j.driver(`bolt://${service.boltAddress}`, neo4j.auth.basic('', secretOf(role)), {
    disableLosslessIntegers: true,
  });
  try {
    const { records } = await driver.executeQuery(text);
    return records.map((record) => record.toObject());
  } finally {
    await driver.close();
  }
}

async function toolOver(service: TestService, role: string, name: string, args: object): Promise<unknown> {
  const headers = { Accept: 'application/json, text/event-stream', ...as(role) };
  const client = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client };
  const begin = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const begun = await service.call('POST', '/mcp', begin, headers);
  const session = { ...headers, 'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '' };
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: args } };
  const { text } = await service.call('POST', '/mcp', call, session);
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const { result, error } = JSON.parse(data) as {
    readonly result?: { readonly structuredContent?: object; readonly content: unknown };
    readonly error?: { readonly message: string };
  };
  return error?.message ?? comparable(JSON.stringify(result?.structuredContent ?? result?.content));
}
