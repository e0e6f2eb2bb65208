/** The built server is killed with SIGKILL right after each acknowledged decision: none is lost. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '#testing';
import { type RunningServer, startServer } from './support/built-program.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(4, 2));
const HOUR_MS = 3_600_000;

interface Listed {
  readonly finding_id: string;
  readonly state: string;
}

async function send({ url }: RunningServer, method: string, path: string, body?: object): Promise<unknown> {
  const content = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const reply = await fetch(url + path, { method, ...content });
  if (!reply.ok) throw new Error(`refused with ${reply.status}: ${await reply.text()}`);
  return reply.json();
}

describe('decisions of a killed server', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-findings-kill-'));
  });
  afterEach(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  it(`hold after the next start, over ${ROUNDS} rounds`, async () => {
    const start = (): Promise<RunningServer> => startServer(['--data-dir', join(directory, 'data')]);
    const waived = async (server: RunningServer): Promise<readonly Listed[]> => {
      const { findings } = (await send(server, 'GET', '/v1/findings?state=waived')) as { findings: Listed[] };
      return findings;
    };
    let server = await start();
    const entities = Array.from({ length: ROUNDS }, (_, at) => ({ type: 'host', key: `h${at}` }));
    await send(server, 'POST', '/v1/ingest/write', { entities });
    await send(server, 'POST', '/v1/policies', { rules: [{ id: 'hosts', query: 'FIND host' }] });
    await send(server, 'POST', '/v1/policies/evaluate', {});

    const counts: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { findings } = (await send(server, 'GET', '/v1/findings?state=open')) as { findings: Listed[] };
      const path = `/v1/findings/${encodeURIComponent(findings[0]?.finding_id ?? '')}/decision`;
      const until = new Date(Date.now() + HOUR_MS).toISOString();
      await send(server, 'PUT', path, { state: 'waived', reason: 'a test', until });
      await server.end('SIGKILL');
      server = await start();
      counts.push((await waived(server)).length);
    }
    await server.end('SIGKILL');

    expect(counts).toEqual(Array.from({ length: ROUNDS }, (_, at) => at + 1));
  });
});
