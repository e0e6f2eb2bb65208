/**
 * The HTTP table: the built server compared with Fastify and better-sqlite3 behind one route, each in its own
 * process, with the same data, replies and load.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Dataset } from './data/dataset.ts';
import { askOf, hostsByRack, type Questions } from './data/questions.ts';
import { ReferenceAnswers, digest } from './graph/answers.ts';
import { loadTarget } from './graph/load-target.ts';
import { RemoteProcess } from './harness/child-process.ts';
import { emptied } from './harness/emptied.ts';
import { freePort } from './harness/free-port.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { renderTable, type Line } from './harness/table.ts';
import { versionOf } from './harness/versions.ts';
import { startGraph } from './http/graph-server.ts';
import type { LoadProtocol } from './http/load-generator.ts';
import { ServerProcess } from './http/server-process.ts';

type Field = 'rack' | 'state';

interface Server {
  readonly name: string;
  readonly process: ServerProcess;
  readonly bodyOf: (field: Field, value: string) => string;
}

const STORES = { plexus: 'http-plexus', sqlite: 'http-sqlite' } as const;
const CONNECTIONS = 16;
const SMALL_REPLY_ROWS = 12;
const PAGE_ROWS = 10_000;
/** A round of requests takes longer than one of calls. */
const ROUND_FACTOR = 5;

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const questions: Questions = {
  ...askOf(data, options.seed),
  racks: [...hostsByRack(data)].filter(([, hosts]) => hosts === SMALL_REPLY_ROWS).map(([rack]) => rack),
};
const reference = new ReferenceAnswers(data, questions);
const client = new RemoteProcess<LoadProtocol>(new URL('./http/load-generator.ts', import.meta.url));
const servers = [await startPlexus(), await startSqlite()];

try {
  const lines = [
    ...(await timeReplies('rack', questions.racks.slice(0, 32), 2.5)),
    ...(await timeReplies('state', [questions.state], 8)),
  ];
  console.log(`## HTTP, ${data.entityCount.toLocaleString('en-US')} entities, ${CONNECTIONS} keep-alive connections

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds, servers in turn; the client shares the machine.
sqlite: fastify ${versionOf('fastify')}, better-sqlite3 ${versionOf('better-sqlite3')}.

${renderTable('plexus', ['plexus', 'sqlite'], lines)}
`);
} finally {
  for (const { process } of servers) await process.stop();
  await client.end();
  for (const name of Object.values(STORES))
    rmSync(join(options.directory, name), { recursive: true, force: true });
}

async function startPlexus(): Promise<Server> {
  const directory = emptied(join(options.directory, STORES.plexus));
  await loadTarget('plexus', { directory, questions, data });
  return {
    name: 'plexus',
    process: await startGraph(directory),
    bodyOf: (field, value) =>
      JSON.stringify({ pql: `FIND host WITH ${field} = $1`, params: [value], limit: PAGE_ROWS }),
  };
}

async function startSqlite(): Promise<Server> {
  const directory = emptied(join(options.directory, STORES.sqlite));
  await loadTarget('sqlite', { directory, questions, data });
  const program = new URL('./http/sqlite-server.ts', import.meta.url).pathname;
  const port = await freePort();
  return {
    name: 'sqlite',
    process: await ServerProcess.start([program, join(directory, 'graph.db'), String(port)], port),
    bodyOf: (by, value) => JSON.stringify({ by, value }),
  };
}

async function timeReplies(field: Field, values: readonly string[], factor: number): Promise<Line[]> {
  await assertSameReplies(field, values);
  const rates = new Map(servers.map(({ name }) => [name, [] as number[]]));
  const tails = new Map(servers.map(({ name }) => [name, [] as number[]]));
  // The first round is a warm-up.
  for (let round = 0; round <= options.rounds; round++) {
    for (const { name, process, bodyOf } of servers) {
      const bodies = values.map((value) => bodyOf(field, value));
      const load = {
        port: process.port,
        connections: CONNECTIONS,
        leastMs: options.roundMs * ROUND_FACTOR,
        bodies,
      };
      const { requestsPerSecond, p99Ms } = await client.call('load', load);
      if (round === 0) continue;
      rates.get(name)?.push(requestsPerSecond);
      tails.get(name)?.push(p99Ms);
    }
  }
  const rows = field === 'rack' ? SMALL_REPLY_ROWS : Number(reference.digestOf('count', 0));
  const title = `${rows.toLocaleString('en-US')} rows`;
  return [
    { title, unit: '/s', figures: rates, reach: [{ against: 'sqlite', factor }] },
    { title: `${title}, p99`, unit: 'ms', figures: tails, reach: [] },
  ];
}

async function assertSameReplies(field: Field, values: readonly string[]): Promise<void> {
  const operation = field === 'rack' ? 'rackJson' : 'hostsJson';
  for (const [at, value] of values.slice(0, 3).entries()) {
    const expected = reference.digestOf(operation, at);
    for (const { name, process, bodyOf } of servers) {
      const got = digest(operation, await process.query(bodyOf(field, value)));
      if (got !== expected) throw new Error(`${name}, ${field} = ${value}: expected ${expected}, got ${got}`);
    }
  }
}
