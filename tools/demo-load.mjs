/**
 * A complete load test on one machine: starts a sequencer, a hive and two edges, or `--edges n`, on free
 * ports, runs samples/demo-load.yaml, saves the report as a page, and ends all processes. Its exit code is
 * the run's.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalLoad, root, shown } from './load/local-load.mjs';

const EDGES_MAX = 100;
const MS = 1_000;

/** The ids of as many edges as the command line asks for. */
function edgeIds() {
  const { values } = parseArgs({ options: { edges: { type: 'string', default: '2' } } });
  const count = Number(values.edges);
  if (!Number.isInteger(count) || count < 1 || count > EDGES_MAX)
    throw new Error(`--edges: expected a number from 1 to ${EDGES_MAX}, got ${values.edges}`);
  return Array.from({ length: count }, (_, at) => `edge-${at + 1}`);
}

const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
const load = new LocalLoad(join(root, 'plexus-demo', stamp));

/** The real EVM node if installed, else the simulator. */
async function startSequencer() {
  for (const mode of ['anvil', 'sim']) {
    const name = `sequencer-${mode}`;
    const sequencer = await load.startSequencer(name, ['--mode', mode]);
    if (sequencer !== undefined) return { mode, ...sequencer };
    console.log(`no sequencer in mode ${mode}; see ${shown(load.logOf(name))}`);
  }
  throw new Error('expected a sequencer to start');
}

async function saveReport(url) {
  const { runs } = await (await fetch(`${url}/runs`)).json();
  const page = await fetch(`${url}/runs/${runs[0].run_id}/report?format=html`);
  if (!page.ok) throw new Error(`the report: ${page.status} ${await page.text()}`);
  const path = load.path('report.html');
  writeFileSync(path, await page.text());
  return path;
}

try {
  const edges = edgeIds();
  const sequencer = await startSequencer();
  const hive = await load.startHive();
  const startMs = performance.now();
  await load.startEdges(hive, edges);
  const seconds = ((performance.now() - startMs) / MS).toFixed(1);
  const there = `${edges.length} edges, registered after ${seconds} s`;
  console.log(`sequencer (${sequencer.mode}) ${sequencer.rpcUrl}, hive ${hive.url}, ${there}\n`);
  process.exitCode = await load.run(hive, sequencer, {
    scenario: join(root, 'samples', 'demo-load.yaml'),
    args: ['--summary-json', load.path('summary.json'), '--set', `edges.min=${edges.length}`],
  });
  console.log(`\nThe demo has ended, its hive too. The report is kept: ${shown(await saveReport(hive.url))}`);
} catch (error) {
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
} finally {
  await load.stopAll();
}
