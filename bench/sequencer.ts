/**
 * The development sequencer alone: signed transfers over HTTP, one at a time from each of many senders, until
 * all are in the feed. Signing is not timed.
 */
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { type Line, renderTable } from './harness/table.ts';
import { FeedCount } from './sequencer/feed-count.ts';
import { Sender } from './sequencer/sender.ts';
import { SequencerProcess } from './sequencer/sequencer-process.ts';
import { Transfers } from './sequencer/transfers.ts';
import { builtLibrary } from './targets/built-library.ts';

const MODES = ['sim', 'anvil'] as const;
const SENDERS = 2_000;
const TRANSFERS_EACH = 10;
const PER_SECOND_MIN = 5_000;

const options = readOptions(process.argv.slice(2));
const chain = await builtLibrary('load/chain');
const perSecond = new Map<string, number[]>();
const cpuMsEach = new Map<string, number[]>();
const contenders = await Promise.all(
  MODES.filter((mode) => options.targets.length === 0 || options.targets.includes(mode)).map(prepare),
);
try {
  for (let round = -1; round < options.rounds; round++) {
    for (const contender of contenders) await measure(contender, round >= 0);
  }
} finally {
  for (const { process, senders, feed } of contenders) {
    feed.close();
    for (const sender of senders) sender.close();
    await process.end();
  }
}

const lines: Line[] = [
  { title: 'transfers into the feed', unit: '/s', figures: perSecond, reach: [], bound: PER_SECOND_MIN },
  { title: 'processor time of one (without the child)', unit: 'ms', figures: cpuMsEach, reach: [] },
];
console.log(`## The development sequencer, ${SENDERS.toLocaleString('en-US')} senders

${describeMachine()}. Medians of ${options.rounds} rounds of ${SENDERS * TRANSFERS_EACH} transfers; blocks of 250 ms.

${renderTable('sim', [...MODES], lines)}
`);

interface Contender {
  readonly mode: string;
  readonly process: SequencerProcess;
  readonly senders: readonly Sender[];
  readonly transfers: Transfers;
  readonly feed: FeedCount;
  announced: number;
}

async function prepare(mode: string): Promise<Contender> {
  const process = await SequencerProcess.start(mode);
  const senders = await Promise.all(Array.from({ length: SENDERS }, () => Sender.open(process.rpcPort)));
  const transfers = new Transfers(chain, SENDERS);
  const feed = await FeedCount.open(process.feedPort, chain);
  await Promise.all(transfers.funding().map(async (body, index) => senders[index]?.send([body])));
  await feed.until(SENDERS);
  return { mode, process, senders, transfers, feed, announced: SENDERS };
}

async function measure(contender: Contender, isKept: boolean): Promise<void> {
  const { feed, mode, process, senders, transfers } = contender;
  const bodies = transfers.next(TRANSFERS_EACH);
  const count = SENDERS * TRANSFERS_EACH;
  contender.announced += count;
  const startMs = performance.now();
  const startCpuMs = process.cpuMs();
  await Promise.all(senders.map((sender, index) => sender.send(bodies[index] ?? [])));
  await feed.until(contender.announced);
  const elapsedMs = performance.now() - startMs;
  if (!isKept) return;
  perSecond.set(mode, [...(perSecond.get(mode) ?? []), (count * 1_000) / elapsedMs]);
  cpuMsEach.set(mode, [...(cpuMsEach.get(mode) ?? []), (process.cpuMs() - startCpuMs) / count]);
}
