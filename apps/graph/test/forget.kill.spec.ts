/**
 * The built server is killed with SIGKILL at random moments of a removal, over a data directory and over a
 * shared store: the removal has not begun then, or ends by itself after the next start, and one that was
 * answered has ended. `KILL_ROUNDS=30` runs a long set.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '#graph/testing';
import { pause, seededRandom } from '#platform/foundation';
import { effort, textsIn } from '#testing';
import { type RunningServer, startServer } from './support/built-program.ts';
import { type Call, PersonEverywhere } from './support/person-everywhere.ts';
import type { Json } from './support/test-service.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(5, 2));
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const ROUND_MS = 240_000;
const POLL_MS = 100;

const callOf =
  (server: () => RunningServer): Call =>
  async (method, path, body) => {
    const headers = { 'Content-Type': 'application/json' };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const reply = await fetch(server().url + path, {
      method,
      headers,
      ...(text !== undefined && { body: text }),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status}: ${await reply.text()}`);
    return (reply.status === 204 ? {} : await reply.json()) as Json;
  };

/** Forgets a person; resolves to whether it was answered with success before the server ended. */
async function forgotten({ url }: RunningServer, { id }: PersonEverywhere): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/v1/entities/${id}/forget`, { method: 'POST' });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`refused with ${reply.status}: ${text}`);
    return true;
  } catch (error) {
    if ((error as Error).name === 'TypeError') return false;
    throw error;
  }
}

async function isThere({ url }: RunningServer, id: string): Promise<boolean> {
  return (await fetch(`${url}/v1/entities/${id}`)).status === 200;
}

/** What is left of a person: of the files, and of the rows. */
type Left = (person: PersonEverywhere) => Promise<readonly string[]>;

interface Scene {
  readonly start: () => Promise<RunningServer>;
  /** After the answer. */
  readonly left: Left;
  /** Shortly after it. */
  readonly leftElsewhere: Left;
}

/** Resolves once nothing is left, or never. */
async function gone(left: Left, person: PersonEverywhere): Promise<void> {
  while ((await left(person)).length > 0) await pause(POLL_MS);
}

/** Kills and starts again, round after round. */
async function play({ start, left, leftElsewhere }: Scene): Promise<void> {
  const random = seededRandom(SEED);
  let server = await start();
  const call = callOf(() => server);
  const state = async (round: number): Promise<PersonEverywhere> => {
    const person = new PersonEverywhere(`Zp${round}kAnn`);
    await person.state(call);
    await call('DELETE', '/v1/queries/hers');
    return person;
  };
  // How long a removal takes here.
  const first = await state(0);
  const startMs = performance.now();
  expect(await forgotten(server, first)).toBe(true);
  const wholeMs = performance.now() - startMs;
  expect(await left(first)).toEqual([]);
  for (let round = 1; round <= ROUNDS; round++) {
    const person = await state(round);
    const running = forgotten(server, person);
    await pause(random() * 1.1 * wholeMs);
    await server.end('SIGKILL');
    const isAnswered = await running;
    if (isAnswered) expect([round, await left(person)]).toEqual([round, []]);
    server = await start();
    const isBegun = !(await isThere(server, person.id));
    process.stdout.write(`forget kill test: round ${round}: answered ${isAnswered}, begun ${isBegun}\n`);
    expect([round, isBegun || !isAnswered]).toEqual([round, true]);
    // What has begun ends by itself; what has not is whole, and can be asked for again.
    if (isBegun) await gone(left, person);
    else {
      expect((await call('GET', `/v1/entities/${person.id}`))['properties']).toEqual({
        note: `${person.key}Now`,
      });
      expect(await forgotten(server, person)).toBe(true);
    }
    expect([round, await left(person)]).toEqual([round, []]);
    await gone(leftElsewhere, person);
    expect(await isThere(server, person.id)).toBe(false);
    expect(JSON.stringify(await call('GET', '/v1/findings'))).toContain('person bob');
  }
  await server.end('SIGTERM');
}

describe('a removal by a server that is killed', () => {
  let directory: string;
  let ended: (() => Promise<void>)[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-forget-kill-'));
    ended = [];
    process.stdout.write(`forget kill test: seed ${SEED}\n`);
  });
  afterEach(async () => {
    for (const end of ended.reverse()) await end();
    await rm(directory, { recursive: true, force: true });
  });

  /** Starts a server that ends with the test, however that ends. */
  const started = async (
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<RunningServer> => {
    const server = await startServer(args, environment);
    ended.push(async () => {
      if (server.child.exitCode === null && server.child.signalCode === null) await server.end('SIGKILL');
    });
    return server;
  };

  it(
    `of a data directory ends after the next start, over ${ROUNDS} rounds`,
    async () => {
      const data = join(directory, 'data');
      await play({
        start: () => started(['--data-dir', data]),
        left: (person) => person.filesIn(data),
        leftElsewhere: async () => [],
      });
    },
    (ROUNDS + 1) * ROUND_MS,
  );

  it(
    `of a shared store ends after the next start, over ${ROUNDS} rounds`,
    async () => {
      const database = await PostgresServer.start();
      ended.push(() => database.stop());
      const store = `postgres://postgres@127.0.0.1:${String(database.port)}/postgres`;
      const [own, other] = [join(directory, 'own'), join(directory, 'other')];
      const start = (copy: string): Promise<RunningServer> =>
        started(['--store', store, '--cache-dir', copy], { PLEXUS_STORE_PASSWORD: database.password });
      // This node is never killed: it must follow.
      await start(other);
      await play({
        start: () => start(own),
        left: async (person) => [...(await tablesWith(database, person.key)), ...(await person.filesIn(own))],
        leftElsewhere: (person) => person.filesIn(other),
      });
    },
    (ROUNDS + 1) * ROUND_MS,
  );
});

/** Names of the tables that have the text in their rows, or in what rows have been cut from. */
async function tablesWith(database: PostgresServer, text: string): Promise<string[]> {
  const tables = await database.rows(
    'postgres',
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'plexus'`,
  );
  const found: string[] = [];
  for (const name of tables.map((row) => String(row['name']))) {
    const order = name === 'base' || name === 'frame' ? 'ORDER BY seq, part' : '';
    const rows = await database.rows('postgres', `SELECT * FROM plexus.${name} ${order}`);
    const bytes = rows.flatMap((row) =>
      Object.values(row).map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value)))),
    );
    if (textsIn(Buffer.concat(bytes)).some((each) => each.includes(text))) found.push(name);
  }
  return found;
}
