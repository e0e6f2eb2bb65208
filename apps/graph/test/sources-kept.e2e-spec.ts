/** Source statements across crash, compaction, backup and restore of the built program. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entityId, relationshipId } from '#graph/model';
import { Storage } from '#graph/storage';
import { NodeDisk } from '#platform/disk';
import { runProgram, type RunningServer, startServer } from './support/built-program.ts';

const WEB = { type: 'host', key: 'web-01' };
const NGINX = { type: 'service', key: 'nginx' };
const ID = entityId(WEB.type, WEB.key);
const LINK = relationshipId(ID, 'RUNS', entityId(NGINX.type, NGINX.key));
const RUNS = { from: WEB, verb: 'RUNS', to: NGINX };

async function call({ url }: RunningServer, method: string, path: string, body?: object): Promise<object> {
  const reply = await fetch(url + path, {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return JSON.parse(text) as object;
}

function sync(server: RunningServer, connector: string, id: string, more: object): Promise<object> {
  return call(server, 'POST', '/v1/ingest/sync', { connector_id: connector, sync_id: id, ...more });
}

/** Both records with their sources: content, statements with times, and versions. */
async function records(server: RunningServer): Promise<readonly object[]> {
  return [
    await call(server, 'GET', `/v1/entities/${ID}?sources=true`),
    await call(server, 'GET', `/v1/relationships/${LINK}?sources=true`),
  ];
}

async function versionOf(server: RunningServer): Promise<number> {
  const reply = await call(server, 'POST', '/v1/query', { pql: 'FIND host RETURN COUNT' });
  return Number((reply as { snapshot_version?: unknown }).snapshot_version);
}

/** Three sources of one host, two of its relationship, each with several statements. */
async function fill(server: RunningServer): Promise<void> {
  const relationships = [{ ...RUNS, properties: { port: 80 } }];
  const cloud = { ...WEB, class: 'Server', properties: { os: 'linux', region: 'eu' } };
  await sync(server, 'scan', '1', {
    entities: [{ ...WEB, properties: { os: 'bsd', cpu: 2 } }, NGINX],
    relationships: [{ ...RUNS, properties: { port: 8_080, pid: 7 } }],
  });
  await sync(server, 'cloud', '1', { priority: 7, entities: [cloud, NGINX], relationships });
  await sync(server, 'scan', '2', {
    entities: [{ ...WEB, properties: { os: 'bsd', cpu: 4 } }, NGINX],
    relationships: [{ ...RUNS, properties: { port: 8_080, pid: 9 } }],
  });
  await call(server, 'POST', '/v1/ingest/write', {
    connector_id: 'hand',
    entities: [{ ...WEB, display_name: 'Web 1', properties: { owner: 'ann' } }],
  });
}

/** The records after the source with the highest priority has dropped them. */
const LEFT = [
  {
    properties: { os: 'bsd', cpu: 4, owner: 'ann' },
    sources: [{ connector_id: 'hand' }, { connector_id: 'scan' }],
  },
  { properties: { port: 8_080, pid: 9 }, sources: [{ connector_id: 'scan' }] },
];

describe('the statements of several sources', () => {
  let directory: string;
  let server: RunningServer | undefined;

  async function start(name: string): Promise<RunningServer> {
    server = await startServer(['--data-dir', join(directory, name)]);
    return server;
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    await server?.end(signal);
    server = undefined;
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-sources-'));
  });
  afterEach(async () => {
    await stop('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  it('survive kill -9 and compaction', async () => {
    const first = await start('data');
    await fill(first);
    const before = await records(first);
    const version = await versionOf(first);
    await stop('SIGKILL');

    expect(before).toMatchObject([
      {
        class: 'Server',
        display_name: 'Web 1',
        properties: { os: 'linux', region: 'eu', cpu: 4, owner: 'ann' },
        sources: [
          { connector_id: 'cloud', priority: 7, class: 'Server' },
          { connector_id: 'hand', priority: 0, display_name: 'Web 1' },
          { connector_id: 'scan', priority: 0, properties: { os: 'bsd', cpu: 4 } },
        ],
      },
      {
        properties: { port: 80, pid: 9 },
        sources: [{ connector_id: 'cloud' }, { connector_id: 'scan', properties: { port: 8_080, pid: 9 } }],
      },
    ]);
    const killed = await start('data');
    expect(await records(killed)).toEqual(before);
    expect(await versionOf(killed)).toBeGreaterThanOrEqual(version);
    await stop('SIGTERM');

    const store = await Storage.open({ directory: join(directory, 'data'), disk: new NodeDisk() });
    await store.compact();
    expect(store.stats().segments).toBe(1);
    await store.close();
    const compacted = await start('data');
    expect(await records(compacted)).toEqual(before);

    await sync(compacted, 'cloud', '2', { entities: [NGINX] });
    expect(await records(compacted)).toMatchObject(LEFT);
  });

  it('survive backup and restore, and the sequence continues', async () => {
    const first = await start('data');
    await fill(first);
    const file = join(directory, 'one.backup');
    const backup = await runProgram(['backup', file, '--url', first.url]);
    const before = await records(first);
    const version = await versionOf(first);
    await stop('SIGKILL');
    const restore = await runProgram(['restore', file, '--data-dir', join(directory, 'restored')]);

    expect([backup, restore]).toMatchObject([{ code: 0 }, { code: 0 }]);
    const restored = await start('restored');
    expect(await records(restored)).toEqual(before);
    expect(await versionOf(restored)).toBeGreaterThanOrEqual(version);

    const repeated = await sync(restored, 'scan', '3', {
      entities: [{ ...WEB, properties: { os: 'bsd', cpu: 4 } }, NGINX],
      relationships: [{ ...RUNS, properties: { port: 8_080, pid: 9 } }],
    });
    expect(repeated).toMatchObject({ entities_updated: 0, relationships_updated: 0 });
    await sync(restored, 'cloud', '2', { entities: [NGINX] });
    expect(await records(restored)).toMatchObject(LEFT);
    const grown = await versionOf(restored);
    expect(grown).toBeGreaterThan(version);
    await stop('SIGKILL');
    const again = await start('restored');
    expect(await records(again)).toMatchObject(LEFT);
    expect(await versionOf(again)).toBeGreaterThanOrEqual(grown);
  });
});
