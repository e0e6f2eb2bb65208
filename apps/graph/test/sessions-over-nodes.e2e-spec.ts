/** Sessions of pages, over two programs and after a restore. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CuttingRelay, PostgresServer } from '#graph/testing';
import { runProgram } from '#platform/cli';
import { pause } from '#platform/foundation';
import { effort } from '#testing';
import { graphProgram } from '../src/cli/program.ts';
import { type RunningServer, startServer } from './support/built-program.ts';
import { type Jar, signedIn, visit } from './support/page-visitor.ts';
import { hostsOf } from './support/seq-token.ts';
import { TestProvider } from './support/test-provider.ts';
import { TestService } from './support/test-service.ts';

const SIGN_INS = effort(6, 2);
const HOSTILES = 12;
const OF_PAGE = { 'X-Plexus-Page': '1' };

describe('a session of a page', () => {
  let provider: TestProvider;
  let directory: string;

  beforeEach(async () => {
    provider = await TestProvider.start();
    provider.groups.set('alice', ['platform']);
    directory = await mkdtemp(join(tmpdir(), 'plexus-sessions-'));
  });
  afterEach(async () => {
    await provider.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const statusOf = async (url: string, jar: Jar): Promise<number> =>
    (await visit(`${url}/v1/stats`, jar)).status;
  const signOut = (url: string, jar: Jar): Promise<Response> =>
    fetch(`${url}/v1/session`, { method: 'DELETE', headers: { ...OF_PAGE, Cookie: jar.header } });

  it('begins at one program, goes on at another, and ends at both', async () => {
    const database = await PostgresServer.start();
    const store = `postgres://postgres@127.0.0.1:${String(database.port)}/postgres`;
    const environment = {
      ...provider.environment({ platform: 'editor' }),
      PLEXUS_STORE_PASSWORD: database.password,
    };
    const start = (): Promise<RunningServer> => startServer(['--store', store], environment);
    const [a, b] = [await start(), await start()];
    try {
      provider.serve(a.url);
      const jar = await signedIn(a.url, 'alice');
      const here = await statusOf(a.url, jar);
      const there = await statusOf(b.url, jar);
      const ended = await signOut(b.url, jar);
      // The other program learns of its end from the database.
      while ((await statusOf(a.url, jar)) === 200);

      expect([here, there, ended.status]).toEqual([200, 200, 204]);
      expect([await statusOf(a.url, jar), await statusOf(b.url, jar)]).toEqual([401, 401]);
    } finally {
      await Promise.all([a.end('SIGTERM'), b.end('SIGTERM')]);
      await database.stop();
    }
  });

  it('is not taken for unknown while the database does not say what was written', async () => {
    const database = await PostgresServer.start();
    const store = `postgres://postgres@127.0.0.1:${String(database.port)}/postgres`;
    const environment = {
      ...provider.environment({ platform: 'editor' }),
      PLEXUS_API_KEY: 'of-the-writer',
      PLEXUS_STORE_PASSWORD: database.password,
    };
    const start = (): Promise<RunningServer> => startServer(['--store', store], environment);
    const [a, b] = [await start(), await start()];
    const seqOf = async (): Promise<unknown> =>
      (await database.rows('postgres', 'SELECT seq FROM plexus.head'))[0]?.['seq'];
    const write = (): Promise<Response> =>
      fetch(`${a.url}/v1/ingest/write`, {
        method: 'POST',
        headers: { Authorization: 'Bearer of-the-writer', 'Content-Type': 'application/json' },
        body: JSON.stringify(hostsOf('web')),
      });
    const withUnknownCookie = (): Promise<Response> =>
      fetch(`${b.url}/v1/stats`, {
        headers: { Cookie: `plexus-session=${'A'.repeat(22)}.${'A'.repeat(43)}` },
      });
    try {
      const held = await database.session('postgres', async (query) => {
        const before = await seqOf();
        await query('BEGIN');
        // Nothing that is written from now on is confirmed.
        await query('SELECT 1 FROM plexus.published FOR UPDATE');
        let isWriting = false;
        while ((await seqOf()) === before) {
          if (isWriting) continue;
          isWriting = true;
          void write().finally(() => {
            isWriting = false;
          });
        }
        const refused = await withUnknownCookie();
        await query('COMMIT');
        while (isWriting) await pause(20);
        return { status: refused.status, seq: refused.headers.get('Plexus-Seq'), body: await refused.json() };
      });
      let after = await withUnknownCookie();
      while (after.status === 503) after = await withUnknownCookie();

      expect(held).toEqual({
        status: 503,
        seq: null,
        body: {
          error: 'STORE_UNAVAILABLE',
          message: 'sessions cannot be looked up now',
          request_id: expect.any(String),
        },
      });
      expect(after.status).toBe(401);
    } finally {
      await Promise.all([a.end('SIGTERM'), b.end('SIGTERM')]);
      await database.stop();
    }
  });

  it('is never refused by a node that loses the database, among random cookies without end', async () => {
    const database = await PostgresServer.start();
    const relay = await CuttingRelay.start(database.port);
    const environment = {
      ...provider.environment({ platform: 'editor' }),
      PLEXUS_STORE_PASSWORD: database.password,
    };
    const start = (port: number): Promise<RunningServer> =>
      startServer(['--store', `postgres://postgres@127.0.0.1:${String(port)}/postgres`], environment);
    const [a, b] = [await start(database.port), await start(relay.port)];
    const ofOthers = new Set<number>();
    const ofSessions = new Set<number>();
    let isOver = false;
    const hostile = async (): Promise<void> => {
      while (!isOver) {
        const cookie = `${randomBytes(16).toString('base64url')}.${randomBytes(32).toString('base64url')}`;
        const headers = { Cookie: `plexus-session=${cookie}` };
        const reply = await fetch(`${b.url}/v1/stats`, { headers });
        await reply.arrayBuffer();
        ofOthers.add(reply.status);
      }
    };
    try {
      provider.serve(a.url);
      const hostiles = Array.from({ length: HOSTILES }, hostile);
      for (let at = 0; at < SIGN_INS; at++) {
        const jar = await signedIn(a.url, 'alice');
        if (at % 2 === 1) relay.down();
        ofSessions.add(await statusOf(b.url, jar));
        relay.up();
        let status = await statusOf(b.url, jar);
        for (; status === 503; status = await statusOf(b.url, jar));
        ofSessions.add(status);
      }
      isOver = true;
      await Promise.all(hostiles);

      expect([...ofSessions].filter((status) => status !== 503)).toEqual([200]);
      expect([...ofOthers].filter((status) => status !== 503)).toEqual([401]);
    } finally {
      isOver = true;
      await Promise.all([a.end('SIGTERM'), b.end('SIGTERM')]);
      await relay.stop();
      await database.stop();
    }
  });

  it('is not there again after a restore of a backup from before its end', async () => {
    const environment = { ...provider.environment({ platform: 'admin' }), PLEXUS_API_KEY: 'of-the-backup' };
    const backup = join(directory, 'one.backup');
    const restored = join(directory, 'restored');
    const first = await TestService.start({ environment });
    provider.serve(first.url);
    const jar = await signedIn(first.url, 'alice');
    const before = await statusOf(first.url, jar);
    await writeFile(backup, await bytesOf(`${first.url}/v1/backup`, environment.PLEXUS_API_KEY));
    await signOut(first.url, jar);
    await first.stop();

    const code = await runProgram(graphProgram(), ['restore', backup, '--data-dir', restored]);
    const second = await TestService.start({ environment, directory: restored });
    const after = await statusOf(second.url, jar);
    provider.serve(second.url);
    const again = await statusOf(second.url, await signedIn(second.url, 'alice'));
    await second.stop();

    expect([before, code, after, again]).toEqual([200, 0, 401, 200]);
  });
});

async function bytesOf(url: string, key: string): Promise<Buffer> {
  const reply = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  return Buffer.from(await reply.arrayBuffer());
}
