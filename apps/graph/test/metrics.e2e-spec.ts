import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

describe('GET /metrics', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await service.query('FIND host');
    await service.query('FIND host GROUP BY os');
    await service.query('FIND service', { limit: 1 });
    await service.call('GET', '/v1/entities/secret-looking-id');
    await service.call('GET', '/somewhere/private');
  });
  afterAll(() => service.stop());

  it('serves Prometheus text in which every name has help, a type and the prefix', async () => {
    const answer = await service.call('GET', '/metrics');

    const names = [...answer.text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? '');
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      expect(name).toMatch(/^plexus_/);
      expect(answer.text).toContain(`# HELP ${name} `);
    }
  });

  it.each([
    'plexus_entities 16',
    'plexus_relationships 16',
    'plexus_wal_appends_total 1',
    'plexus_wal_syncs_total 1',
    'plexus_segments 0',
    'plexus_compactions_total 0',
    'plexus_writable 1',
    'plexus_query_duration_seconds_count{kind="entities"} 2',
    'plexus_query_duration_seconds_count{kind="groups"} 1',
    'plexus_queries_running 0',
    'plexus_cursors 1',
    'plexus_snapshots 2',
    'plexus_http_requests_total{route="/v1/query",status="200"} 3',
    'plexus_http_requests_total{route="/v1/entities/:id",status="400"} 1',
    'plexus_http_requests_total{route="unmatched",status="404"} 1',
  ])('says %s', async (line) => {
    const answer = await service.call('GET', '/metrics');

    expect(answer.text.split('\n')).toContain(line);
  });

  it('includes process and build metrics', async () => {
    const { text } = await service.call('GET', '/metrics');

    expect(text).toMatch(/^plexus_nodejs_eventloop_lag_p99_seconds /m);
    expect(text).toMatch(/^plexus_build_info\{version="[^"]+",node="[^"]+"\} 1$/m);
  });

  it('contains no part of a requested URL', async () => {
    const { text } = await service.call('GET', '/metrics');

    expect(text).not.toContain('secret-looking-id');
    expect(text).not.toContain('private');
  });
});
