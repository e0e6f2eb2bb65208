/**
 * The report of a large run, from parts made by the hive's own writer: each in a new process, without the
 * cache.
 */
import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { RemoteProcess } from './harness/child-process.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { type Line, renderTable } from './harness/table.ts';
import { makeRun } from './report/made-run.ts';
import type { ReportProtocol } from './report/report-protocol.ts';

const EVENTS_FACTOR = 100;
const MS_MAX = 2_500;

const options = readOptions(process.argv.slice(2));
const directory = join(options.directory, 'report');
const figures = { ms: [] as number[], cpu: [] as number[], memory: [] as number[] };
const made = await makeRun(directory, options.entities * EVENTS_FACTOR, options.seed);
try {
  for (let round = 0; round < options.rounds; round++) {
    const maker = new RemoteProcess<ReportProtocol>(new URL('./report/report-maker.ts', import.meta.url));
    const { ms, cpuMs, included, peakMb } = await maker.call('build', { directory });
    await maker.end();
    if (included !== made.included) throw new Error(`expected ${made.included} included, got ${included}`);
    figures.ms.push(ms);
    figures.cpu.push(cpuMs);
    figures.memory.push(peakMb);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

const line = (title: string, unit: Line['unit'], own: readonly number[]): Line => ({
  title,
  unit,
  figures: new Map([['plexus', own]]),
  reach: [],
});
const lines: Line[] = [
  { ...line('report', 'ms', figures.ms), bound: MS_MAX },
  line('processor time of all its threads', 'ms', figures.cpu),
  line('memory at its most', 'MB', figures.memory),
];
console.log(`## Report over ${made.events.toLocaleString('en-US')} events

${describeMachine()}. Seed ${options.seed}, ${(made.bytes / 1e6).toFixed(0)} MB of parts, medians of ${options.rounds} rounds. Load of the machine over the last five minutes: ${loadavg()[1]?.toFixed(1) ?? '?'}.

${renderTable('plexus', ['plexus'], lines)}
`);
