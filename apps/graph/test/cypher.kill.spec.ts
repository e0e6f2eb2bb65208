/**
 * The built server is killed with SIGKILL under writers of Cypher. Every acknowledged statement, and every
 * transaction over Bolt, must be there whole after the next start, and none in part.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '#testing';
import neo4j, { type Driver } from 'neo4j-driver';
import { type RunningServer, startServer } from './support/built-program.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(3, 1));
const WRITERS = 16;
const ROUND_TIMEOUT_MS = 60_000;
/** A pair of nodes, and one more in a counter that all writers share. */
const WRITE = `CREATE (a:Half {id: $key + '-a'})-[:PAIR]->(b:Half {id: $key + '-b'})
  MERGE (c:Counter {name: 'writes'}) ON CREATE SET c.n = 1 ON MATCH SET c.n = c.n + 1`;

const OUTDATED = 'Neo.TransientError.Transaction.Outdated';
/** The same as statements of a transaction. */
const STATEMENTS = [
  "CREATE (:Half {id: $key + '-a'})",
  "MATCH (a:Half {id: $key + '-a'}) CREATE (a)-[:PAIR]->(:Half {id: $key + '-b'})",
  "MERGE (c:Counter {name: 'writes'}) ON CREATE SET c.n = 1 ON MATCH SET c.n = c.n + 1",
];

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
async function write({ url }: RunningServer, prefix: string, acknowledged: Set<string>): Promise<void> {
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

/** The same in transactions of several statements. */
async function writeOverBolt(
  { log }: RunningServer,
  prefix: string,
  acknowledged: Set<string>,
): Promise<void> {
  const listening = log.find((line) => line.includes('server.listening')) ?? '{}';
  const driver = neo4j.driver((JSON.parse(listening) as { readonly bolt: string }).bolt, undefined, {
    maxTransactionRetryTime: 0,
  });
  try {
    for (let i = 0; ; i++) {
      const key = `${prefix}-${i}`;
      if (await commits(driver, key)) acknowledged.add(key);
    }
  } catch (error) {
    if (!isLost(error)) throw error;
  } finally {
    await driver.close();
  }
}

/** Whether a transaction has been committed; false after a conflict. */
async function commits(driver: Driver, key: string): Promise<boolean> {
  const session = driver.session();
  try {
    const transaction = await session.beginTransaction();
    for (const statement of STATEMENTS) await transaction.run(statement, { key });
    await transaction.commit();
    return true;
  } catch (error) {
    if (error instanceof neo4j.Neo4jError && error.code === OUTDATED) return false;
    throw error;
  } finally {
    await session.close();
  }
}

/** Whether the connection has ended, or none can be opened. */
function isLost(error: unknown): boolean {
  const codes: readonly string[] = [neo4j.error.SERVICE_UNAVAILABLE, neo4j.error.SESSION_EXPIRED];
  return error instanceof neo4j.Neo4jError && codes.includes(error.code);
}

describe('a server killed under statements that write', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-cypher-kill-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it.each([
    ['statement over REST', write],
    ['transaction over Bolt', writeOverBolt],
  ])(
    `has every acknowledged %s whole, and none in part, over ${ROUNDS} rounds`,
    async (_, writeTo) => {
      const acknowledged = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const server = await startServer(['--data-dir', directory, '--bolt-port', '0']);
        const enough = acknowledged.size + 100;
        const writers = Array.from({ length: WRITERS }, (_, i) =>
          writeTo(server, `${round}-${i}`, acknowledged),
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
