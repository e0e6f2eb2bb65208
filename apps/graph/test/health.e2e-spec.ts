import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '#platform/foundation';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

describe('health, stats and schema', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
  });
  afterAll(() => service.stop());

  it('reports its status, version and uptime', async () => {
    const health = await service.json(200, 'GET', '/v1/health');

    expect(health).toEqual({ status: 'healthy', version: VERSION, uptime_seconds: expect.any(Number) });
  });

  it('reports what a crash has left incomplete at the end of the log', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-torn-'));
    const before = await TestService.start({ directory });
    await before.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await before.stop();
    const log = join(directory, 'wal-0000000001');
    const { length } = await readFile(log);
    await appendFile(log, 'half a frame');

    const after = await TestService.start({ directory });
    const health = await after.json(200, 'GET', '/v1/health');
    const stats = await after.json(200, 'GET', '/v1/stats');
    await after.stop();
    await rm(directory, { recursive: true });

    const cutTail = { file: 'wal-0000000001', offset: length, cut_bytes: 12, last_seq: 1 };
    expect(health).toMatchObject({ status: 'healthy', torn_tail: cutTail });
    expect(stats['storage']).toMatchObject({ torn_tail: cutTail });
  });

  it('reports the version of the package', async () => {
    const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');

    expect((JSON.parse(text) as { version: string }).version).toBe(VERSION);
  });

  it('counts the live data by type, class and verb', async () => {
    const stats = await service.json(200, 'GET', '/v1/stats');

    expect(stats).toMatchObject({
      version: VERSION,
      total_entities: 16,
      total_relationships: 16,
      type_counts: { host: 4, service: 2, user: 3 },
      class_counts: { Host: 5, DataStore: 1 },
      verb_counts: { RUNS: 3, ASSIGNED: 3 },
      storage: { segments: 0, compactions: 0 },
    });
    expect(stats['types']).toBe(9);
    expect(stats['snapshot_version']).toBe(service.graph.durableVersion);
  });

  it('shows the schema of the data', async () => {
    const schema = await service.json(200, 'GET', '/v1/schema');

    expect(schema['classes']).toContainEqual({ name: 'Host', count: 5 });
    expect(schema['verbs']).toContainEqual({ name: 'RUNS', count: 3 });
    expect(schema['types']).toContainEqual(
      expect.objectContaining({
        name: 'secret',
        count: 1,
        classes: ['Secret'],
        properties: expect.arrayContaining([{ name: 'rotated_days', count: 1, kinds: { number: 1 } }]),
      }),
    );
  });

  it('returns a request id in every reply, the given one if it is printable', async () => {
    const own = await service.call('GET', '/v1/stats', undefined, { 'X-Request-Id': 'trace-1' });
    const long = await service.call('GET', '/v1/stats', undefined, { 'X-Request-Id': 'x'.repeat(129) });
    const none = await service.call('GET', '/nowhere');

    expect(own.headers.get('x-request-id')).toBe('trace-1');
    expect(long.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(none.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
