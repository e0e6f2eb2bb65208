import { describe, expect, it } from '@jest/globals';
import { Disk } from '#platform/disk';
import { CrashDisk } from '#testing';
import { ESTATE } from './support/estate.ts';
import { bodyOf, TestService } from './support/test-service.ts';

const DIRECTORY = '/store';
const RULES = {
  rules: [
    { id: 'r', query: "FIND Host WITH state != 'running'", frameworks: [{ framework: 'F', control: '1' }] },
  ],
};
/** More than the prepared space of the log. */
const LARGE = {
  entities: Array.from({ length: 100 }, (_, i) => ({
    type: 'doc',
    key: `d${String(i)}`,
    properties: { text: 'x'.repeat(30_000) },
  })),
  relationships: [],
};
const REASON = expect.stringMatching(/the disk is full .*ENOSPC.*free space, then restart/);

function serviceOn(disk: CrashDisk): Promise<TestService> {
  return TestService.start({
    directory: DIRECTORY,
    override: (builder) => builder.overrideProvider(Disk).useValue(disk),
  });
}

describe('a service on a full disk', () => {
  it('answers reads, evaluates rules, refuses writes with 507, and has lost nothing after a restart', async () => {
    const disk = new CrashDisk(1);
    const service = await serviceOn(disk);
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
    await service.json(200, 'POST', '/v1/policies', RULES);
    disk.plan({ capacityBytes: 0 });

    const first = await service.call('POST', '/v1/ingest/write', LARGE);
    const refusals = await Promise.all([
      service.call('POST', '/v1/ingest/write', { entities: [{ type: 'host', key: 'b' }], relationships: [] }),
      service.call('POST', '/v1/ingest/bulk', '{"op":"entity","type":"host","key":"c"}\n', { 'Content-Type': 'application/x-ndjson' }),
      service.call('PUT', '/v1/policies/other', { query: 'FIND Host' }),
    ]);
    const health = await service.call('GET', '/v1/health');
    const found = await service.query('FIND Host');
    const evaluation = await service.json(200, 'POST', '/v1/policies/evaluate', {});
    const posture = await service.json(200, 'GET', '/v1/policies/posture?framework=F');
    disk.plan({});
    // What the disk has after a failed write is not known: it says "restart", also with space.
    refusals.push(await service.call('POST', '/v1/ingest/write', { entities: [{ type: 'host', key: 'd' }], relationships: [] }));
    const later = await service.call('GET', '/v1/health');
    disk.plan({ capacityBytes: 0 });
    await service.stop();

    for (const refusal of [first, ...refusals]) {
      expect([refusal.status, bodyOf(refusal)]).toMatchObject([507, { error: 'NO_DISK_SPACE', message: REASON }]);
    }
    for (const each of [health, later]) {
      expect(each.status).toBe(503);
      expect(bodyOf(each)).toEqual({ status: 'unhealthy', reason: REASON, reads: 'ok' });
    }
    expect(found['count']).toBe(5);
    expect(evaluation).toMatchObject({ total: 1, fail: 1, not_stored: REASON });
    expect(posture).toMatchObject({ overall_score: 0, evaluated_at: evaluation['started_at'] });
    expect((await disk.list(DIRECTORY)).filter((name) => name.startsWith('lock'))).toEqual([]);
    disk.plan({});
    const after = await serviceOn(disk);
    expect((await after.query('FIND Host'))['count']).toBe(5);
    await after.json(200, 'POST', '/v1/ingest/write', LARGE);
    await after.stop();
  });
}); // prettier-ignore
