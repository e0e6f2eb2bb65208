/**
 * `Query` over gRPC compared with REST: both of the built server, in one process, with clients that only
 * count bytes. REST returns the whole answer as one page, gRPC as a stream.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { loadTarget } from './graph/load-target.ts';
import type { GrpcLoadProtocol } from './grpc/grpc-load.ts';
import { RemoteProcess } from './harness/child-process.ts';
import { emptied } from './harness/emptied.ts';
import { freePort } from './harness/free-port.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { type Line, renderTable } from './harness/table.ts';
import type { LoadFigures, LoadProtocol } from './http/load-generator.ts';
import { startGraph } from './http/graph-server.ts';

const CONNECTIONS = 16;
const PAGE_ROWS = 10_000;
/** A round of requests takes longer than one of calls. */
const ROUND_FACTOR = 5;

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const questions = askOf(data, options.seed);
const directory = join(options.directory, 'grpc');
emptied(directory);
await loadTarget('plexus', { directory, questions, data });
const grpcPort = await freePort();
const server = await startGraph(directory, { more: ['--grpc-port', String(grpcPort)] });
const { port } = server;
const rest = new RemoteProcess<LoadProtocol>(new URL('./http/load-generator.ts', import.meta.url));
const grpc = new RemoteProcess<GrpcLoadProtocol>(new URL('./grpc/grpc-load.ts', import.meta.url));

try {
  const lines = [
    ...(await time('FIND host WITH rack = $1', questions.racks.slice(0, 32))),
    ...(await time('FIND host WITH state = $1', [questions.state])),
    ...(await time('FIND host WITH state = $1 RETURN name, region, rack', [questions.state])),
  ];
  console.log(`## gRPC, ${data.entityCount.toLocaleString('en-US')} entities, ${CONNECTIONS} connections

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds, in turn; the clients share the machine.

${renderTable('grpc', ['grpc', 'rest'], lines)}
`);
} finally {
  await server.stop();
  await rest.end();
  await grpc.end();
  rmSync(directory, { recursive: true, force: true });
}

async function time(pql: string, values: readonly string[]): Promise<Line[]> {
  const figures = new Map<string, LoadFigures[]>([
    ['grpc', []],
    ['rest', []],
  ]);
  const bodies = values.map((value) => JSON.stringify({ pql, params: [value], limit: PAGE_ROWS }));
  const load = { connections: CONNECTIONS, leastMs: options.roundMs * ROUND_FACTOR };
  const rows = await grpc.call('count', { ...load, port: grpcPort, pql, values });
  const [body = ''] = bodies;
  const { count } = JSON.parse(Buffer.from(await server.query(body)).toString()) as { count: number };
  if (count !== rows) throw new Error(`${pql}: expected ${count} rows by gRPC, got ${rows}`);
  // The first round is a warm-up.
  for (let round = 0; round <= options.rounds; round++) {
    const streamed = await grpc.call('load', { ...load, port: grpcPort, pql, values });
    const paged = await rest.call('load', { ...load, port, bodies });
    if (round === 0) continue;
    figures.get('grpc')?.push(streamed);
    figures.get('rest')?.push(paged);
  }
  const title = `${rows.toLocaleString('en-US')} ${pql.includes('RETURN') ? 'rows' : 'entities'}`;
  const of = (read: (figure: LoadFigures) => number) =>
    new Map([...figures].map(([name, list]) => [name, list.map(read)]));
  const reach = [{ against: 'rest', factor: 0 }];
  return [
    { title, unit: '/s', figures: of(({ requestsPerSecond }) => requestsPerSecond), reach },
    { title: `${title}, p99`, unit: 'ms', figures: of(({ p99Ms }) => p99Ms), reach },
    { title: `${title}, bytes`, unit: 'B', figures: of(({ bytesPerReply }) => bytesPerReply), reach },
  ];
}
