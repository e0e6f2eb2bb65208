/**
 * The built server is killed with SIGKILL under writers of Cypher. Every acknowledged statement must be there
 * whole after the next start, and none in part.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '#testing';
import { startServer } from './support/built-program.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(3, 1));
const WRITERS = 16;
const ROUND_TIMEOUT_MS = 60_000;
/** A pair of nodes, and one more in a counter that all writers share. */
const WRITE = `CREATE (a:Half {id: $key + '-a'})-[:PAIR]->(b:Half {id: $key + '-b'})
  MERGE (c:Counter {name: 'writes'}) ON CREATE SET c.n = 1 ON MATCH SET c.n = c.n + 1`;

async function run(url: string, cypher: string, params: object = {}): Promise<readonly unknown[][]> {
  const reply = await fetch(`${url}/v1/cypher`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ cypher, params, limit: 10_000 }),
  });
  if (reply.status !== 200) throw new Error(`refused with ${reply.status}: ${await reply.text()}`);
  return ((await reply.json()) as { readonly rows: readonly unknown[][] }).rows;
}

/** Writes until the server stops, and records each acknowledged key. */
async function write(url: string, prefix: string, acknowledged: Set<string>): Promise<void> {
  for (let i = 0; ; i++) {
    const key = `${prefix}-${i}`;
    try {
      await run(url, WRITE, { key });
    } catch (error) {
      if ((error as Error).name === 'TypeError') return;
      throw error;
    }
    acknowledged.add(key);
  }
}

describe('a server killed under statements that write', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-cypher-kill-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it(
    `has every acknowledged statement whole, and none in part, over ${ROUNDS} rounds`,
    async () => {
      const acknowledged = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const server = await startServer(['--data-dir', directory]);
        const enough = acknowledged.size + 100;
        const writers = Array.from({ length: WRITERS }, (_, i) =>
          write(server.url, `${round}-${i}`, acknowledged),
        );
        while (acknowledged.size < enough)
          await fetch(`${server.url}/v1/health`).then((reply) => reply.text());
        await server.end('SIGKILL');
        await Promise.all(writers);

        const survivor = await startServer(['--data-dir', directory]);
        const pairs = await run(survivor.url, 'MATCH (a:Half)-[:PAIR]->(b:Half) RETURN a.id, b.id');
        const [halves] = await run(survivor.url, 'MATCH (h:Half) RETURN count(*)');
        const counters = await run(survivor.url, 'MATCH (c:Counter) RETURN c.n');
        await survivor.end('SIGKILL');
        const found = new Set(pairs.map(([a]) => String(a).replace(/-a$/, '')));

        expect([...acknowledged].filter((key) => !found.has(key))).toEqual([]);
        expect(pairs.every(([a, b]) => String(a).replace(/a$/, 'b') === b)).toBe(true);
        expect([halves, counters]).toEqual([[pairs.length * 2], [[pairs.length]]]);
      }
    },
    ROUNDS * ROUND_TIMEOUT_MS,
  );
});
