/** REST and gRPC over the same data: the packages of this repository and the small estate. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import {
  callFault,
  GraphCaller,
  plainAnswer,
  plainEntity,
  plainRelationship,
  plainWarnings,
} from '#graph/testing';
import { ESTATE } from './support/estate.ts';
import { type Json, TestService } from './support/test-service.ts';

const LOCK_FILE = fileURLToPath(new URL('../../../package-lock.json', import.meta.url));
const PAGE = 10_000;

const QUERIES: readonly string[] = [
  'FIND host',
  'FIND *',
  "FIND Host WITH (os = 'windows' OR os = 'linux') AND NOT owner EXISTS",
  'FIND host THAT RUNS service',
  'FIND host RETURN COUNT',
  'FIND host AS h RETURN h.name, h.cpu AS cores, h',
  'FIND host AS h THAT RUNS AS r service AS s RETURN h._key, r, s, s.port',
  'FIND host AS h (THAT RUNS service AS s)? RETURN h._key, s._key, s.port',
  'FIND host RETURN DISTINCT os, env',
  'FIND Host GROUP BY region',
  'FIND host GROUP BY os, env',
  'FIND Host AS h GROUP BY h.env RETURN h.env, COUNT(*) AS n, AVG(h.cpu) AS cores ORDER BY n DESC',
  'FIND host ORDER BY cpu DESC LIMIT 3',
  "FIND SHORTEST PATH FROM user WITH _key = 'alice' TO secret",
  "FIND BLAST RADIUS FROM host WITH _key = 'web-01' VIA RELATES TO >> DEPTH 2",
  'EXPLAIN FIND user THAT ASSIGNED role WITH admin = true',
  "FIND hots WITH naem = 'x'",
  "FIND host WITH cpu = '8'",
  'FIND npm_package AS p RETURN p.name, p.version, p._key LIMIT 2000',
  "FIND BLAST RADIUS FROM npm_package WITH name = 'rxjs' VIA DEPENDS_ON <<",
  'FIND npm_package AS p THAT DEPENDS_ON << npm_package AS user RETURN p.name, COUNT(*) AS n ORDER BY n DESC LIMIT 20',
];

const FAULTY: readonly (readonly [string, object, object])[] = [
  ['FIND =', {}, {}],
  ['FIND host WITH name = $x', {}, {}],
  ['FIND host LIMIT $n', { n: 'ten' }, { n: { stringValue: 'ten' } }],
  ['FIND host WITH name =~ "["', {}, {}],
  ['', {}, {}],
];

const LISTS = ['rows', 'groups', 'paths', 'impacted', 'entities'];

/** REST's reply in the form of `plainAnswer`. */
function restAnswer(reply: Json): unknown {
  const warnings = (reply['warnings'] as readonly Json[]).map(({ nearest = [], ...warning }) => ({
    ...warning,
    nearest: [nearest].flat(),
  }));
  return {
    count: reply['count'],
    ...(reply['columns'] !== undefined && { columns: reply['columns'] }),
    items: LISTS.map((name) => reply[name]).find((list) => list !== undefined),
    warnings,
    snapshot_version: reply['snapshot_version'],
    impacted_by_class: reply['impacted_by_class'] ?? {},
    plan: reply['plan'],
  };
}

describe('REST and gRPC', () => {
  let service: TestService;
  let caller: GraphCaller;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_GRPC_PORT: '0' }, firstStart: LOCK_FILE });
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    caller = new GraphCaller(service.grpcAddress);
  });
  afterAll(async () => {
    caller.close();
    await service.stop();
  });

  it.each(QUERIES)('give the same answer: %s', async (pql) => {
    const answer = await caller.query(pql);
    const reply = await service.query(pql, { limit: PAGE });

    expect(plainAnswer(answer)).toEqual(restAnswer(reply));
  });

  it.each(FAULTY)('give the same error: %s', async (pql, params, sent) => {
    const fault = await callFault(caller.query({ pql, params: sent as never }));
    const reply = await service.call('POST', '/v1/query', { pql, params });

    const { request_id: ours, ...error } = fault.error;
    const { request_id: theirs, ...refusal } = JSON.parse(reply.text) as Json;
    expect([ours, theirs]).toEqual([expect.any(String), expect.any(String)]);
    expect(error).toEqual(refusal);
    expect([fault.status, reply.status]).toEqual(['INVALID_ARGUMENT', 400]);
  });

  it('show the same entity, sources and neighbours', async () => {
    const found = await service.query("FIND host WITH _key = 'web-01'");
    const id = found.entities[0]?.['id'];
    const entity = await caller.entity(String(id), true);
    const neighbors = await caller.neighbors({ id: String(id) });

    const shown = await service.json(200, 'GET', `/v1/entities/${String(id)}?sources=true`);
    const { neighbors: around, count } = await service.json(
      200,
      'GET',
      `/v1/entities/${String(id)}/neighbors`,
    );
    const { sources, ...rest } = shown;
    expect(plainEntity(entity)).toEqual(rest);
    expect(entity.sources).toMatchObject((sources as readonly Json[]).map(() => ({ connectorId: 'test' })));
    expect(neighbors.count).toBe(String(count));
    expect(
      neighbors.neighbors.map((each) => ({
        entity: each.entity === null ? null : plainEntity(each.entity),
        relationship: each.relationship === null ? null : plainRelationship(each.relationship),
      })),
    ).toEqual(around);
  });

  it.each([
    ['no-id', 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['0'.repeat(32), 'NOT_FOUND', 'NOT_FOUND'],
  ])('find no entity %s', async (id, status, error) => {
    expect(await callFault(caller.entity(id))).toMatchObject({ status, error: { error } });
    expect(await callFault(caller.neighbors({ id }))).toMatchObject({ status, error: { error } });
  });

  it.each([0, 10_001])('reject the limit %d of neighbors with the same message', async (limit) => {
    const id = '0'.repeat(32);
    const rest = await service.json(400, 'GET', `/v1/entities/${id}/neighbors?limit=${limit}`);

    expect(rest['message']).toBe('limit: expected a whole number from 1 to 10000');
    expect(await callFault(caller.neighbors({ id, limit }))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      error: { error: 'INVALID_REQUEST', message: rest['message'] },
    });
  });

  it('show the same schema', async () => {
    const { classes, types, verbs } = await caller.schema();
    const shown = await service.json(200, 'GET', '/v1/schema');

    const counted = (list: readonly { readonly name: string; readonly count: string }[]): unknown =>
      list.map(({ name, count }) => ({ name, count: Number(count) }));
    expect({ classes: counted(classes), verbs: counted(verbs) }).toEqual({
      classes: shown['classes'],
      verbs: shown['verbs'],
    });
    expect(
      types.map((type) => ({
        name: type.name,
        count: Number(type.count),
        classes: type.classes,
        properties: type.properties.map(({ name, count, kinds }) => ({
          name,
          count: Number(count),
          kinds: Object.fromEntries(Object.entries(kinds).map(([kind, n]) => [kind, Number(n)])),
        })),
      })),
    ).toEqual(shown['types']);
  });

  it('report the same counts for a sync and its repetition', async () => {
    const records = {
      entities: [
        { type: 'rack', key: 'r1', properties: { units: { int64Value: 42 } } },
        { type: 'rack', key: 'r2' },
      ],
      relationships: [
        { from: { type: 'rack', key: 'r1' }, verb: 'NEXT_TO', to: { type: 'rack', key: 'nowhere' } },
      ],
    };
    const options = { onDangling: 'ON_DANGLING_SKIP' } as const;
    const start = { connectorId: 'racks', syncId: 'g1', options };
    const reply = await caller.sync({ start }, { records }, { commit: {} });
    const again = await caller.sync({ start }, { records }, { commit: {} });
    const other = await service.json(200, 'POST', '/v1/ingest/sync?on_dangling=skip&dry_run=true', {
      connector_id: 'racks',
      sync_id: 'g2',
      entities: [{ type: 'rack', key: 'r1', properties: { units: 42 } }],
      relationships: [
        { from: { type: 'rack', key: 'r1' }, verb: 'NEXT_TO', to: { type: 'rack', key: 'nowhere' } },
      ],
    });

    expect(reply).toMatchObject({ syncId: 'g1', entitiesCreated: '2', relationshipsCreated: '0' });
    expect(again).toEqual(reply);
    expect(other).toMatchObject({ entities_created: 0, entities_unchanged: 1, entities_deleted: 1 });
    expect(plainWarnings(reply.warnings)).toMatchObject(other['warnings'] as object);
  });

  it('keep the relationships of an entity whose source could not name all of them', async () => {
    const [one, two, three] = [
      { type: 'pdu', key: 'p1' },
      { type: 'pdu', key: 'p2' },
      { type: 'pdu', key: 'p3' },
    ];
    const entities = [one, two, three];
    const relationships = [one, two].map((from) => ({ from, verb: 'FEEDS', to: three }));
    const partial = { verb: 'FEEDS', end: 'from', ...one };
    const path = '/v1/ingest/sync';
    const sync = { connector_id: 'pdus', entities };
    await service.json(200, 'POST', path, { ...sync, sync_id: '1', relationships });
    const dry = { ...sync, sync_id: '2', partial_relationships: [partial] };
    const other = await service.json(200, 'POST', `${path}?dry_run=true`, dry);
    const start = { connectorId: 'pdus', syncId: '3', partialRelationships: [partial] };
    const reply = await caller.sync({ start }, { records: { entities, relationships: [] } }, { commit: {} });

    expect(other).toMatchObject({ relationships_deleted: 1, entities_deleted: 0 });
    expect(reply).toMatchObject({ relationshipsDeleted: '1', entitiesDeleted: '0' });
  });
});
