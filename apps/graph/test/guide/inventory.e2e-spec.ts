import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestService } from '../support/test-service.ts';
import { InventoryModule } from './inventory.module.ts';

describe('the inventory', () => {
  const environment = { PLEXUS_API_KEY: 'k' };
  const key = { Authorization: 'Bearer k' };
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment, modules: [InventoryModule] });
  });
  afterAll(() => service.stop());

  it('counts hosts for clients with the key', async () => {
    await service.json(200, 'POST', '/v1/ingest/write', { entities: [{ type: 'host', key: 'a' }] }, key);

    const without = await service.call('GET', '/v1/inventory/hosts');
    const counted = await service.call('GET', '/v1/inventory/hosts', undefined, key);

    expect([without.status, counted.status]).toEqual([401, 200]);
    expect(JSON.parse(counted.text)).toEqual({ hosts: 1 });
  });

  it('is public where the handler has @Public()', async () => {
    const answer = await service.call('GET', '/v1/inventory/motto');

    expect([answer.status, answer.text]).toEqual([200, '{"motto":"know what you run"}']);
  });
});
