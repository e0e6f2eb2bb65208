import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ESTATE } from './support/estate.ts';
import { tokenOf } from './support/seq-token.ts';
import { TestService } from './support/test-service.ts';

describe('search by name', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
  });
  afterEach(() => service.stop());

  const keysOf = async (search: string): Promise<unknown[]> => {
    const { entities } = await service.json(200, 'GET', `/v1/search?${search}`);
    return entities.map(({ key }) => key);
  };

  it('finds entities of all types in any case, the best first, and counts them by type', async () => {
    const entities = ['zdb', 'orders-zdb', 'zdbase', 'ZDB-1'].map((key, at) => ({
      type: at % 2 === 0 ? 'lake' : 'pond',
      key,
      class: 'DataStore',
    }));
    await service.json(200, 'POST', '/v1/ingest/write', {
      connector_id: 'test',
      entities,
      relationships: [],
    });

    const reply = await service.json(200, 'GET', '/v1/search?q=Zd');
    const longer = await service.json(200, 'GET', '/v1/search?q=S-ZDB');

    expect(reply.entities.map(({ key }) => key).slice(0, 3)).toEqual(['zdb', 'ZDB-1', 'zdbase']);
    expect(reply).toMatchObject({
      count: 3,
      complete: true,
      counts: [
        { type: 'lake', count: 2 },
        { type: 'pond', count: 1 },
      ],
    });
    expect(longer['entities']).toEqual([
      expect.objectContaining({ type: 'pond', key: 'orders-zdb', class: 'DataStore' }),
    ]);
  });

  it('finds by the display name and the property name, and follows changes', async () => {
    const write = (name: string): Promise<unknown> =>
      service.json(200, 'POST', '/v1/ingest/write', {
        connector_id: 'test',
        entities: [
          {
            type: 'lake',
            key: 'l1',
            class: 'DataStore',
            display_name: 'Clientele of old',
            properties: { name },
          },
        ],
        relationships: [],
      });
    await write('Größe');

    expect([
      await keysOf('q=clientele'),
      await keysOf(`q=${encodeURIComponent('GRÖSS')}`),
      await keysOf(`q=${encodeURIComponent('GRÖ')}`),
    ]).toEqual([['l1'], [], ['l1']]);

    await write('Weight');

    expect([await keysOf(`q=${encodeURIComponent('größe')}`), await keysOf('q=weigh')]).toEqual([[], ['l1']]);
  });

  it('finds the names as they were at a moment', async () => {
    const write = async (key: string, name: string): Promise<number> => {
      const entities = [{ type: 'lake', key, class: 'DataStore', properties: { name } }];
      const body = { connector_id: 'test', entities, relationships: [] };
      return tokenOf(await service.call('POST', '/v1/ingest/write', body)).seq;
    };
    const before = await write('l7', 'Clientele');
    const after = await write('l7', 'Patrons');
    await write('l8', 'Clientele too');

    expect([
      await keysOf(`q=clientele&as_of=${before}`),
      await keysOf(`q=patrons&as_of=${before}`),
      await keysOf(`q=clientele&as_of=${after}`),
      await keysOf('q=clientele'),
    ]).toEqual([['l7'], [], [], ['l8']]);
    expect((await service.call('GET', '/v1/search?q=a&as_of=2000-01-01T00:00:00Z')).status).toBe(410);
  });

  it('is narrowed by a type, a class or a label, and limited', async () => {
    expect((await keysOf('q=web&type=host')).length).toBeGreaterThan(0);
    expect(await keysOf('q=web&type=Host')).toEqual(expect.arrayContaining(await keysOf('q=web&type=host')));
    expect(await keysOf('q=web&type=nothing')).toEqual([]);
    const { count, entities } = await service.json(200, 'GET', '/v1/search?q=web&limit=1');
    expect(Number(count)).toBeGreaterThan(1);
    expect(entities).toHaveLength(1);
  });

  it.each([
    '',
    'q=',
    `q=${'x'.repeat(257)}`,
    'q=a&q=b',
    'q=a&limit=0',
    'q=a&limit=501',
    'q=a&limit=x',
    'q=a&type=b&type=c',
    'q=a&other=1',
    'q=a&as_of=yesterday',
    'q=a&as_of=999999',
  ])('refuses %.20s', async (search) => {
    expect((await service.call('GET', `/v1/search?${search}`)).status).toBe(400);
  });
});
