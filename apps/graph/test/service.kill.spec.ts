/**
 * The built server is killed with SIGKILL under 64 writers, repeatedly over one data directory. Every
 * acknowledged write must exist after the next start. `KILL_ROUNDS=100` runs a long set.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '#testing';
import { type RunningServer, startServer } from './support/built-program.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(3, 1));
const WRITERS = 64;
const ROUND_TIMEOUT_MS = 60_000;

/** One writer: writes until the server stops, and records each acknowledged key. */
async function write(url: string, prefix: string, acknowledged: Set<string>): Promise<void> {
  for (let i = 0; ; i++) {
    const key = `${prefix}-${i}`;
    const body = JSON.stringify({ entities: [{ type: 'host', key, properties: { i } }] });
    try {
      const reply = await fetch(`${url}/v1/ingest/write`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
      if (reply.status !== 200) throw new Error(`refused with ${reply.status}: ${await reply.text()}`);
      await reply.text();
    } catch (error) {
      if (error instanceof TypeError || (error as Error).name === 'TypeError') return;
      throw error;
    }
    acknowledged.add(key);
  }
}

/** Keys of all hosts on a server. */
async function keysOf({ url }: RunningServer): Promise<Set<string>> {
  const reply = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
    body: JSON.stringify({ pql: 'FIND host' }),
  });
  const lines = (await reply.text()).trimEnd().split('\n');
  return new Set(lines.map((line) => (JSON.parse(line) as { key?: string }).key ?? ''));
}

describe('a server killed under load', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-kill-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it(
    `keeps every acknowledged write over ${ROUNDS} rounds`,
    async () => {
      const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
      process.stdout.write(`kill test: seed ${seed}\n`);
      const acknowledged = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const server = await startServer(['--data-dir', directory]);
        const before = acknowledged.size;
        const writers = Array.from({ length: WRITERS }, (_, i) =>
          write(server.url, `${round}-${i}`, acknowledged),
        );
        const enough = before + 200 + ((seed * (round + 7)) % 1_000);
        while (acknowledged.size < enough)
          await fetch(`${server.url}/v1/health`).then((reply) => reply.text());
        await server.end('SIGKILL');
        await Promise.all(writers);

        const survivor = await startServer(['--data-dir', directory]);
        const keys = await keysOf(survivor);
        const code = await survivor.end(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');

        expect([...acknowledged].filter((key) => !keys.has(key))).toEqual([]);
        expect(code).toBe(round % 2 === 0 ? 0 : null);
      }
    },
    ROUNDS * ROUND_TIMEOUT_MS,
  );
});
