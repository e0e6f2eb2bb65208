/** The service from disk to socket: resources are closed after any failure, and no write is lost. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disk } from '#platform/disk';
import { CrashDisk } from '#testing';
import { TestService } from './support/test-service.ts';

const DIRECTORY = '/data';
const SEED = 7;

function onDisk(disk: CrashDisk): Promise<TestService> {
  return TestService.start({
    directory: DIRECTORY,
    override: (builder) => builder.overrideProvider(Disk).useValue(disk),
  });
}

function write(service: TestService, key: string): Promise<{ readonly status: number }> {
  return service.call('POST', '/v1/ingest/write', { entities: [{ type: 'host', key }] });
}

describe('the service over a disk with power loss', () => {
  it.each([3, 10, 25, 60])('keeps every write acknowledged before disk operation %d', async (crashAt) => {
    const disk = new CrashDisk(SEED);
    const service = await onDisk(disk);
    disk.plan({ crashAt });
    const acknowledged: string[] = [];
    for (let i = 0; !disk.isDown && i < 1_000; i++) {
      const { status } = await write(service, `host-${i}`);
      if (status === 200) acknowledged.push(`host-${i}`);
    }

    const after = await write(service, 'too-late');
    await service.stop();
    const restarted = await onDisk(disk.restart());
    const found = await restarted.query('FIND host', { limit: 10_000 });
    await restarted.stop();

    const keys = found.entities.map(({ key }) => String(key));
    expect(after.status).toBe(503);
    expect(keys).toEqual(expect.arrayContaining(acknowledged));
    expect(keys.length - acknowledged.length).toBeLessThanOrEqual(1);
  });
});

describe('the service on a real disk', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-test-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('answers and keeps a write in flight at shutdown', async () => {
    const service = await TestService.start({ directory });
    const body = JSON.stringify({ entities: [{ type: 'host', key: 'late' }] });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const answer: string[] = [];
    socket.on('data', (chunk: Buffer) => answer.push(chunk.toString()));
    socket.write(
      'POST /v1/ingest/write HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    // The server starts to read the body.
    await once(socket, 'data');

    const stopped = service.stop();
    socket.write(body);
    await once(socket, 'close');
    await stopped;
    const again = await TestService.start({ directory });
    const found = await again.query('FIND host');
    await again.stop();

    expect(answer.join('')).toContain('HTTP/1.1 200 OK');
    expect(found['count']).toBe(1);
  });

  it('unlocks the directory if a later part fails to start', async () => {
    const environment = { PLEXUS_RULES: join(directory, 'no-rules') };

    await expect(TestService.start({ directory, environment })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });

    const service = await TestService.start({ directory });
    const { status } = await service.call('GET', '/v1/health');
    await service.stop();
    expect(status).toBe(200);
  });
});
