import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXAMPLE_ENTITY_ID, EXAMPLE_RELATIONSHIP_ID } from '#graph/api/http';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

describe('single records', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
  });
  afterEach(() => service.stop());

  it('are returned by id', async () => {
    const entity = await service.json(200, 'GET', `/v1/entities/${EXAMPLE_ENTITY_ID}`);
    const relationship = await service.json(200, 'GET', `/v1/relationships/${EXAMPLE_RELATIONSHIP_ID}`);

    expect(entity).toMatchObject({ id: EXAMPLE_ENTITY_ID, type: 'host', key: 'web-01' });
    expect(relationship).toMatchObject({
      id: EXAMPLE_RELATIONSHIP_ID,
      verb: 'RUNS',
      from: { id: EXAMPLE_ENTITY_ID, type: 'host', key: 'web-01' },
      to: { type: 'service', key: 'nginx' },
    });
  });

  it.each([
    ['', ['edr-1', 'nginx']],
    ['?direction=out', ['nginx']],
    ['?direction=in', ['edr-1']],
    ['?verb=runs', ['nginx']],
    ['?verb=USES', []],
  ])('have neighbours%s', async (search, keys) => {
    const reply = await service.json(200, 'GET', `/v1/entities/${EXAMPLE_ENTITY_ID}/neighbors${search}`);

    const found = reply.neighbors.map(({ entity }) => entity['key']).sort();
    expect(found).toEqual(keys);
    expect(reply['count']).toBe(keys.length);
  });

  it('count neighbours beyond the limit', async () => {
    const reply = await service.json(200, 'GET', `/v1/entities/${EXAMPLE_ENTITY_ID}/neighbors?limit=1`);

    expect(reply['count']).toBe(2);
    expect(reply['neighbors']).toHaveLength(1);
  });

  it('disappear on deletion, an entity with its relationships', async () => {
    const deleted = await service.call('DELETE', `/v1/entities/${EXAMPLE_ENTITY_ID}`);
    const again = await service.call('DELETE', `/v1/entities/${EXAMPLE_ENTITY_ID}`);
    const entity = await service.call('GET', `/v1/entities/${EXAMPLE_ENTITY_ID}`);
    const relationship = await service.call('GET', `/v1/relationships/${EXAMPLE_RELATIONSHIP_ID}`);

    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect([again.status, entity.status, relationship.status]).toEqual([404, 404, 404]);
  });

  it('delete a single relationship', async () => {
    const deleted = await service.call('DELETE', `/v1/relationships/${EXAMPLE_RELATIONSHIP_ID}`);
    const reply = await service.json(200, 'GET', `/v1/entities/${EXAMPLE_ENTITY_ID}/neighbors`);

    expect(deleted.status).toBe(204);
    expect(reply['count']).toBe(1);
  });
});
