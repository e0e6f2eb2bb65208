/**
 * Calls of a contract beside transfers, and with `--before <checkout>` hive and edge of another build beside
 * those of this one: they take turns, against one simulated sequencer. Each is measured at its maximum, and
 * for its send delay at one rate of all.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { commitOf } from './harness/checkout.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { type Line, renderTable } from './harness/table.ts';
import { type LoadMeasure, LoadStand } from './load/load-stand.ts';
import { startSequencer } from './load/program.ts';

const USERS = 1_000;
const ACCOUNTS = 2_000;
const SECONDS = 10;
const RATE = 500;
const [TRANSFERS, CALLS, BEFORE] = ['transfers', 'contract calls', 'transfers, before'] as const;

interface Subject {
  readonly name: string;
  readonly stand: LoadStand;
  /** The keys of its scenarios that others do not have. */
  readonly mix: object;
}

const options = readOptions(process.argv.slice(2));
const seconds = options.seconds ?? SECONDS;
const rate = options.rate ?? RATE;
const figures = {
  rates: new Map<string, number[]>(),
  costs: new Map<string, number[]>(),
  achieved: new Map<string, number[]>(),
  medians: new Map<string, number[]>(),
  delays: new Map<string, number[]>(),
};
const flaws: string[] = [];
const sequencer = await startSequencer();
const stands: LoadStand[] = [];
try {
  const subjects = await startSubjects();
  for (let round = 0; round < options.rounds; round++) {
    // Each one is the first as often as the last.
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const subject of order) await measure(round, subject);
  }
  print(subjects.map(({ name }) => name));
} finally {
  for (const stand of stands) await stand.end();
  await sequencer.end();
}

async function startSubjects(): Promise<readonly Subject[]> {
  const start = async (name: string, root?: string): Promise<LoadStand> => {
    const stand = await LoadStand.start(join(options.directory, 'load', name), { sequencer, root });
    stands.push(stand);
    return stand;
  };
  const now = await start('now');
  const subjects = [
    { name: TRANSFERS, stand: now, mix: {} },
    { name: CALLS, stand: now, mix: callsOf() },
  ];
  if (options.before === undefined) return subjects;
  return [...subjects, { name: BEFORE, stand: await start('before', options.before), mix: {} }];
}

/** The simulated sequencer has a token in place of each contract, of which each account has enough. */
function callsOf(): object {
  return {
    contracts: {
      token: {
        bytecode: '0x600160005500',
        abi: ['function transfer(address to, uint256 amount) returns (bool)'],
        sends_ether: 'never',
      },
    },
    mix: [
      {
        kind: 'call',
        weight: 1,
        contract: 'token',
        function: 'transfer',
        args: [{ account: 'next' }, { random: [1, 1_000] }],
      },
    ],
  };
}

async function measure(round: number, { name, stand, mix }: Subject): Promise<void> {
  const closed = await stand.closed(USERS, seconds, mix);
  const most = closed.report.summary.achieved_rate;
  note(figures.rates, name, most);
  note(figures.costs, name, (closed.cores.edge * 1_000) / most);
  const open = await stand.open(rate, ACCOUNTS, seconds, mix);
  const { send_delay: delay } = open.report.latency;
  note(figures.achieved, name, open.report.summary.achieved_rate);
  note(figures.medians, name, delay?.p50 ?? Number.NaN);
  note(figures.delays, name, delay?.p99 ?? Number.NaN);
  for (const { report } of [closed, open]) check(round, name, report);
}

function check(round: number, name: string, { summary, oracle }: LoadMeasure['report']): void {
  const place = `round ${round + 1}, ${name}`;
  if (!summary.is_balanced || summary.included !== summary.sent) {
    flaws.push(`${place}: ${summary.included} of ${summary.sent} included`);
  }
  for (const [about, { verdict }] of Object.entries(oracle)) {
    if (verdict !== 'pass') flaws.push(`${place}: ${about}: ${verdict}`);
  }
}

function note(into: Map<string, number[]>, name: string, figure: number): void {
  into.set(name, [...(into.get(name) ?? []), figure]);
}

function print(names: readonly string[]): void {
  const line = (title: string, unit: Line['unit'], of: Map<string, number[]>): Line => {
    const others = names.filter((name) => name !== TRANSFERS);
    return { title, unit, figures: of, reach: others.map((against) => ({ against, factor: 0 })) };
  };
  const lines = [
    line('transactions through the whole chain', '/s', figures.rates),
    line('processor time of the edge for one', 'ms', figures.costs),
    line(`achieved of ${rate}/s`, '/s', figures.achieved),
    line('and send delay, p50', 'ms', figures.medians),
    line('and send delay, p99', 'ms', figures.delays),
  ];
  const before = options.before === undefined ? '' : ` Before: commit ${commitOf(options.before)}.`;
  const load = loadavg()[1]?.toFixed(1) ?? '?';
  console.log(`## Transfers and contract calls, one edge, ${USERS.toLocaleString('en-US')} users

${describeMachine()}. Medians of ${options.rounds} rounds of ${seconds} s each, in turn.${before} Load of the machine over the last five minutes: ${load}.

${renderTable(TRANSFERS, names, lines)}

${flaws.length === 0 ? 'Everything sent was included, and the oracle passed it all.' : flaws.join('\n')}
`);
}
