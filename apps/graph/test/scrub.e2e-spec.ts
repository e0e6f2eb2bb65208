/** A damaged block that the image hides: the built server detects it by itself and continues. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Graph } from '#graph/engine';
import { NodeDisk } from '#platform/disk';
import { type RunningServer, startServer } from './support/built-program.ts';

const HOSTS = 200;

/** A store whose records are all in a segment and in the image. */
async function fillStore(directory: string): Promise<void> {
  const storage = { walFileBytes: 65_536 };
  const graph = await Graph.open({ directory, disk: new NodeDisk(), storage, imageRecordsMin: 1 });
  for (let i = 0; i < HOSTS; i++) {
    const properties = { note: randomBytes(1_000).toString('hex') };
    await graph.write({
      connectorId: 'test',
      entities: [{ type: 'host', key: `h${i}`, class: 'Host', properties }],
      relationships: [],
      delete: { entities: [], relationships: [] },
    });
  }
  await graph.close();
}

async function segmentOf(directory: string): Promise<string> {
  const names = (await readdir(directory)).filter((name) => name.startsWith('segment-'));
  const [name = ''] = names.sort();
  return name;
}

async function flipBit(path: string, offset: number): Promise<void> {
  const file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, offset);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, offset);
  await file.close();
}

describe('the built server over a damaged segment', () => {
  let directory: string;
  let server: RunningServer | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-scrub-'));
    await fillStore(directory);
  });
  afterEach(async () => {
    await server?.end('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  it('reports it in log, health and metrics, and continues', async () => {
    const file = await segmentOf(directory);
    const middle = Math.floor((await stat(join(directory, file))).size / 2);
    await flipBit(join(directory, file), middle);
    server = await startServer(['--data-dir', directory]);
    await server.lineWith('"event":"storage.damaged"', 1);
    await server.lineWith('"event":"storage.scrubbed"', 1);

    const health = await fetch(`${server.url}/v1/health`);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const query = await fetch(`${server.url}/v1/query`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ pql: 'FIND host RETURN COUNT' }),
    });

    expect(health.status).toBe(200);
    const line = server.log.find((text) => text.includes('storage.damaged')) ?? '{}';
    const { offset } = JSON.parse(line) as { offset: number };
    expect(JSON.parse(line)).toMatchObject({ level: 50, file, blocks: 1 });
    expect([16 <= offset, offset <= middle]).toEqual([true, true]);
    const reason = `broken segment block in ${file} at offset ${offset}`;
    expect(await health.json()).toMatchObject({ status: 'degraded', reason });
    expect(metrics).toMatch(/^plexus_segment_damaged_blocks 1$/m);
    expect(metrics).toMatch(/^plexus_writable 1$/m);
    expect(await query.json()).toMatchObject({ count: HOSTS });
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it('is healthy after it has read every block intact', async () => {
    const file = await segmentOf(directory);
    server = await startServer(['--data-dir', directory]);
    await server.lineWith('"event":"storage.scrubbed"', 1);

    const health = await fetch(`${server.url}/v1/health`);

    expect(await health.json()).toMatchObject({ status: 'healthy' });
    const line = server.log.find((text) => text.includes('storage.scrubbed')) ?? '{}';
    const { bytes } = JSON.parse(line) as { bytes: number };
    expect(bytes).toBeGreaterThan((await stat(join(directory, file))).size / 2);
    expect(await server.end('SIGTERM')).toBe(0);
  });
});
