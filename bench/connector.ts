/**
 * A run of the synthetic connector as in the server: the first, and one without changes. Each round has its
 * own store. Memory is the peak growth of the process since its start.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type * as connectorService from '../libs/graph/connector/src/service/connector-service.ts';
import type * as connectorLibrary from '../libs/graph/connector/src/index.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { type Line, renderTable } from './harness/table.ts';
import { builtLibrary } from './targets/built-library.ts';

const SERVICE = new URL('../dist/libs/graph/connector/src/service/connector-service.js', import.meta.url);
const CONNECTOR = new URL('../dist/libs/graph/connector/src/index.js', import.meta.url);
const SILENT = { info: () => undefined, warn: () => undefined };
const NS_A_MS = 1e6;
const MB = 1e6;

const options = readOptions(process.argv.slice(2));
const { Graph } = await builtLibrary('graph/engine');
const { NodeDisk } = await builtLibrary('platform/disk');
const { createConnectorRuns } = (await import(SERVICE.href)) as typeof connectorService;
const { firstPartyConnectors, readConnector } = (await import(CONNECTOR.href)) as typeof connectorLibrary;

const users = Math.ceil(options.entities * 0.1);
const services = Math.ceil(options.entities * 0.3);
const config = { seed: options.seed, users, services, hosts: options.entities - users - services };
const connector = readConnector(
  JSON.stringify({ id: 'bench', connector: 'synthetic', config }),
  'bench.yaml',
  {
    types: firstPartyConnectors(new NodeDisk()),
    environment: {},
  },
);
const figures = {
  first: [] as number[],
  again: [] as number[],
  memory: [] as number[],
  longest: [] as number[],
};
const idleBytes = process.memoryUsage.rss();
let rows = 0;
for (let round = 0; round < options.rounds; round++) await timeRound();

const line = (title: string, unit: Line['unit'], own: readonly number[]): Line => ({
  title,
  unit,
  figures: new Map([['plexus', own]]),
  reach: [],
});
const lines = [
  line('first run, entities and relationships', '/s', figures.first),
  line('run without a change', '/s', figures.again),
  line('memory', 'MB', figures.memory),
  line('longest delay of the event loop', 'ms', figures.longest),
];
console.log(`## Connector, ${options.entities.toLocaleString('en-US')} entities

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds, ${rows.toLocaleString('en-US')} rows a run.

${renderTable('plexus', ['plexus'], lines)}
`);

async function timeRound(): Promise<void> {
  const directory = emptied(join(options.directory, 'connector'));
  const graph = await Graph.open({ directory, disk: new NodeDisk() });
  const runs = await createConnectorRuns(graph, [connector], SILENT);
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  for (const into of [figures.first, figures.again]) {
    const startMs = performance.now();
    const run = await runs.wait((await runs.start('bench')).run_id);
    if (run.status !== 'complete' || run.entities !== options.entities) throw new Error(JSON.stringify(run));
    rows = run.entities + run.relationships;
    into.push((rows / (performance.now() - startMs)) * 1_000);
  }
  delay.disable();
  clearInterval(watch);
  figures.memory.push((most - idleBytes) / MB);
  figures.longest.push(delay.max / NS_A_MS);
  await graph.close();
  rmSync(directory, { recursive: true, force: true });
}
