/**
 * One edge process with its hive and a simulated sequencer, through the whole chain: each transaction is
 * answered, seen in the feed, correlated, its receipt read, written as telemetry and folded by the oracle.
 * The viem loop sends to the same sequencer, without any of that. They take turns.
 */
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { RemoteProcess } from './harness/child-process.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { median } from './harness/stopwatch.ts';
import { type Line, renderTable } from './harness/table.ts';
import { versionOf } from './harness/versions.ts';
import { type LoadMeasure, LoadStand } from './load/load-stand.ts';
import type { ViemLoopProtocol } from './load/viem-loop-protocol.ts';

const USERS = 2_500;
const ACCOUNTS = 4_000;
const VIEM_ACCOUNTS = 1_000;
const SECONDS = 10;
const PER_SECOND_MIN = 5_000;
const VIEM_FACTOR = 3;
const SHARE_OF_MAXIMUM = 0.8;
const ACHIEVED_MIN = 0.99;
const SEND_DELAY_MS_MAX = 20;

const options = readOptions(process.argv.slice(2));
const seconds = options.seconds ?? SECONDS;
const figures = {
  rates: new Map<string, number[]>(),
  costs: new Map<string, number[]>(),
  achieved: new Map<string, number[]>(),
  delays: new Map<string, number[]>(),
};
const cores = new Map<string, number[]>();
const flaws: string[] = [];
const stand = await LoadStand.start(join(options.directory, 'edge'));
const viem = new RemoteProcess<ViemLoopProtocol>(new URL('./load/viem-loop.ts', import.meta.url));
try {
  await viem.call('open', { url: stand.rpcUrl, accounts: VIEM_ACCOUNTS });
  await viem.call('run', { seconds: 2 });
  for (let round = 0; round < options.rounds; round++) await measureRound(round);
} finally {
  await viem.end();
  await stand.end();
}
print();

async function measureRound(round: number): Promise<void> {
  const closed = await stand.closed(USERS, seconds);
  const rate = closed.report.summary.achieved_rate;
  note(figures.rates, 'plexus', rate);
  note(figures.costs, 'plexus', (closed.cores.edge * 1_000) / rate);
  for (const [name, used] of Object.entries(closed.cores)) note(cores, name, used);
  const loop = await viem.call('run', { seconds });
  note(figures.rates, 'viem', loop.count / loop.seconds);
  note(figures.costs, 'viem', loop.cpuMs / loop.count);
  const open = await stand.open(Math.floor(rate * SHARE_OF_MAXIMUM), ACCOUNTS, seconds);
  note(figures.achieved, 'plexus', open.report.summary.achieved_rate_ratio ?? Number.NaN);
  note(figures.delays, 'plexus', open.report.generator.send_delay_p99_ms ?? Number.NaN);
  for (const measure of [closed, open]) check(round, measure);
}

/** Everything sent was included, fed and correlated, and all checks passed. */
function check(round: number, { report }: LoadMeasure): void {
  const { summary, feed, oracle, generator } = report;
  const isWhole = summary.is_balanced && summary.included === summary.sent;
  if (!isWhole) flaws.push(`round ${round}: ${summary.included} of ${summary.sent} included`);
  if (feed.correlation_misses > 0)
    flaws.push(`round ${round}: ${feed.correlation_misses} not in the feed in time`);
  if (generator.events_dropped > 0) flaws.push(`round ${round}: ${generator.events_dropped} events dropped`);
  for (const [name, { verdict }] of Object.entries(oracle)) {
    if (verdict !== 'pass') flaws.push(`round ${round}: ${name}: ${verdict}`);
  }
}

function print(): void {
  const lines: Line[] = [
    {
      title: 'transactions through the whole chain',
      unit: '/s',
      figures: figures.rates,
      reach: [{ against: 'viem', factor: VIEM_FACTOR }],
      bound: PER_SECOND_MIN,
    },
    { title: 'processor time of one', unit: 'ms', figures: figures.costs, reach: [] },
    {
      title: 'at 80 % of that: achieved / planned',
      unit: 'count',
      figures: figures.achieved,
      reach: [],
      bound: ACHIEVED_MIN,
    },
    { title: 'and p99 send delay', unit: 'ms', figures: figures.delays, reach: [], bound: SEND_DELAY_MS_MAX },
  ];
  const used = [...cores].map(([name, values]) => `${name} ${median(values).toFixed(2)}`).join(', ');
  const load = loadavg()[1]?.toFixed(1) ?? '?';
  console.log(`## One edge against the simulated sequencer, ${USERS.toLocaleString('en-US')} users

${describeMachine()}. viem ${versionOf('viem')}, ${VIEM_ACCOUNTS.toLocaleString('en-US')} accounts. Medians of ${options.rounds} rounds of ${seconds} s. The sequencer makes a block every 250 ms, of 1,488 transfers at most: 5,952/s.

${renderTable('plexus', ['plexus', 'viem'], lines)}

Cores used at the maximum, of ${availableParallelism()}: ${used}. Load of the machine over the last five minutes: ${load}.
pandoras-box is not in the npm registry that this was made with; viem stands alone.
${flaws.length === 0 ? 'Everything sent was included, fed and correlated; the oracle passed it all.' : flaws.join('\n')}
`);
}

function note(into: Map<string, number[]>, name: string, figure: number): void {
  into.set(name, [...(into.get(name) ?? []), figure]);
}
