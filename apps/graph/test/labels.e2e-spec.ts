/** Labels of entities, through every door of the service. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { GraphCaller, plainEntity } from '#graph/testing';
import { type Json, TestService } from './support/test-service.ts';

const WEB = { type: 'host', key: 'web-01' };
const DB = { type: 'host', key: 'db-01' };
const ID = entityId(WEB.type, WEB.key);

describe('labels', () => {
  let service: TestService;
  let caller: GraphCaller;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_GRPC_PORT: '0' } });
    caller = new GraphCaller(service.grpcAddress);
    await service.json(200, 'POST', '/v1/ingest/sync', {
      connector_id: 'scan',
      sync_id: '1',
      entities: [{ ...WEB, labels: ['Pci', 'Edge', 'Pci'] }, DB, { type: 'Edge', key: 'router' }],
    });
  });
  afterAll(async () => {
    caller.close();
    await service.stop();
  });

  const entity = (): Promise<Json> => service.json(200, 'GET', `/v1/entities/${ID}?sources=true`);
  const keysOf = async (pql: string): Promise<unknown> =>
    (await service.query(pql)).entities.map(({ key }) => key);

  it('are a set in replies, and missing without any', async () => {
    expect(await entity()).toMatchObject({ labels: ['Edge', 'Pci'], sources: [{ labels: ['Edge', 'Pci'] }] });
    expect(await service.json(200, 'GET', `/v1/entities/${entityId(DB.type, DB.key)}`)).not.toHaveProperty(
      'labels',
    );
  });

  it('find entities like types and classes, each once', async () => {
    expect(await keysOf('FIND Edge')).toEqual(['router', 'web-01']);
    expect(await keysOf('FIND (Pci|Edge|host)')).toEqual(['router', 'db-01', 'web-01']);
    expect(await keysOf("FIND host WITH _labels = 'Pci'")).toEqual(['web-01']);
    expect(await keysOf('FIND host WITH NOT _labels EXISTS')).toEqual(['db-01']);
    expect(await service.query('FIND Pci RETURN COUNT')).toMatchObject({ count: 1, warnings: [] });
    expect(await service.query('FIND Pcy')).toMatchObject({
      warnings: [{ code: 'UNKNOWN_CLASS', nearest: 'Pci' }],
    });
  });

  it('are counted in statistics and in the schema', async () => {
    expect(await service.json(200, 'GET', '/v1/stats')).toMatchObject({ label_counts: { Edge: 1, Pci: 1 } });
    expect(await service.json(200, 'GET', '/v1/schema')).toMatchObject({
      labels: [
        { name: 'Edge', count: 1 },
        { name: 'Pci', count: 1 },
      ],
      types: [{ name: 'Edge' }, { name: 'host', labels: ['Edge', 'Pci'] }],
    });
    expect(await caller.schema()).toMatchObject({ labels: [{ name: 'Edge' }, { name: 'Pci' }] });
  });

  it('are the same over gRPC, where a patch without them keeps them and an empty list removes them', async () => {
    expect(plainEntity(await caller.entity(ID))).toEqual(
      await service.json(200, 'GET', `/v1/entities/${ID}`),
    );

    const patch = async (syncId: string, labels?: readonly string[]): Promise<unknown> => {
      await caller.sync(
        { start: { connectorId: 'patcher', syncId, mode: 'SYNC_MODE_PATCH' } },
        { records: { entities: [{ type: 'node', key: 'n', ...(labels && { labels: { names: labels } }) }] } },
        { commit: {} },
      );
      return (await caller.entity(entityId('node', 'n'))).labels;
    };
    expect(await patch('1', ['B', 'A'])).toEqual(['A', 'B']);
    expect(await patch('2')).toEqual(['A', 'B']);
    expect(await patch('3', [])).toEqual([]);
  });

  it('of several sources are one field: the winning list is shown', async () => {
    const write = (connector_id: string, labels?: readonly string[]): Promise<Json> =>
      service.json(200, 'POST', '/v1/ingest/write', { connector_id, entities: [{ ...DB, labels }] });
    await write('cloud', ['Cloud']);
    await write('hand', ['Gold']);
    expect(await keysOf('FIND Cloud')).toEqual([]);
    expect(await keysOf('FIND Gold')).toEqual(['db-01']);

    await write('hand', []);
    expect(await keysOf('FIND Cloud')).toEqual(['db-01']);
  });

  it.each([
    ['no list', 'Pci', 'labels: expected a list of names, got a string'],
    ['an empty name', [''], 'labels[0]: expected at least 1 visible character'],
    ['another kind', ['Pci', 4], 'labels[1]: expected a string, got a number'],
    ['a reserved name', ['_'], 'labels[0]: the name _ is reserved for entities without labels'],
    [
      '65 names',
      Array.from({ length: 65 }, (_, at) => `L${String(at)}`),
      'labels: expected at most 64 names',
    ],
  ])('are refused with the place: %s', async (_, labels, message) => {
    const reply = await service.json(400, 'POST', '/v1/ingest/write', { entities: [{ ...WEB, labels }] });

    expect(reply['message']).toContain(message);
  });

  it.each([
    ['a type', { type: '_', key: 'k' }],
    ['a class', { ...WEB, class: '_' }],
  ])('of none have the type _, which is refused as %s', async (_, entity) => {
    const reply = await service.json(400, 'POST', '/v1/ingest/write', { entities: [entity] });

    expect(reply['message']).toContain('the name _ is reserved');
  });

  it('of none are not made up for an end of a relationship', async () => {
    const relationships = [{ from: { type: '_', key: 'k' }, verb: 'USES', to: WEB }];
    const reply = await service.json(422, 'POST', '/v1/ingest/write?on_dangling=stub', { relationships });

    expect(reply).toMatchObject({ error: 'DANGLING_RELATIONSHIP' });
  });
});
