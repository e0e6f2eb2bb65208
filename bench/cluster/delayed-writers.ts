/**
 * Writers on one node of a shared store, and on two, with a network of some length between the nodes and the
 * database. Each node is a process of its own.
 */
import { join } from 'node:path';
import { RemoteProcess } from '../harness/child-process.ts';
import { cpuMsOfChildren } from '../harness/process-cost.ts';
import { median } from '../harness/stopwatch.ts';
import { DelayRelay } from './delay-relay.ts';
import type { WritingNodeProtocol, Written } from './writing-node-protocol.ts';

const DELAYS_MS = [0, 1, 5, 20];
const WRITERS = 12;
const WARM_UP_MS = 2_000;
/** A round is at least so many round trips of the network, of which a write takes two. */
const ROUND_TRIPS_MIN = 50;
const PROGRAM = new URL('./writing-node.ts', import.meta.url);

type WritingNode = RemoteProcess<WritingNodeProtocol>;

export interface DelayOptions {
  /** Of the database. */
  readonly port: number;
  /** Of the process that has started those of the database. */
  readonly databasePid: number;
  readonly directory: string;
  readonly rounds: number;
  readonly roundMs: number;
}

interface Rate {
  /** Acknowledged writes a second, of all nodes. */
  readonly perSecond: number;
  /** Processor time for a write, of all nodes. */
  readonly nodesUs: number;
  /** The same of the database. */
  readonly databaseUs: number;
  /** Busy with both, on average. */
  readonly processors: number;
}

interface Rates {
  /** Twelve writers on one node. */
  readonly one: Rate;
  /** The same, spread over two. */
  readonly spread: Rate;
  /** Twelve on each of two. */
  readonly each: Rate;
}

/** A Markdown table: a row for each delay. */
export async function delayedWriters(options: DelayOptions): Promise<string> {
  const rows = [
    '| delay each way | 12 on one node | 12 over two nodes | ratio | 12 on each of two | ratio | CPU a write, nodes + database | processors busy |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
  ];
  for (const delayMs of DELAYS_MS) {
    const rounds = await measured(options, delayMs);
    const middle = (of: keyof Rates, figure: keyof Rate, digits = 0): string =>
      median(rounds.map((each) => each[of][figure])).toFixed(digits);
    const rate = (of: keyof Rates): string => `${middle(of, 'perSecond')}/s`;
    const ratio = (of: keyof Rates): string =>
      median(rounds.map((each) => each[of].perSecond / each.one.perSecond)).toFixed(2);
    const all = (show: (of: keyof Rates) => string): string =>
      (['one', 'spread', 'each'] as const).map(show).join(', ');
    const cells = [
      `${String(delayMs)} ms`,
      rate('one'),
      rate('spread'),
      ratio('spread'),
      rate('each'),
      ratio('each'),
      `${all((of) => `${middle(of, 'nodesUs')} + ${middle(of, 'databaseUs')}`)} µs`,
      all((of) => middle(of, 'processors', 1)),
    ];
    rows.push(`| ${cells.join(' | ')} |`);
  }
  return rows.join('\n');
}

/** The first round, a warm-up, is left out. */
async function measured(
  { port, databasePid, directory, rounds, roundMs }: DelayOptions,
  delayMs: number,
): Promise<readonly Rates[]> {
  const leastMs = Math.max(roundMs, ROUND_TRIPS_MIN * 2 * delayMs);
  const relay = delayMs === 0 ? undefined : await DelayRelay.start(port, delayMs);
  const url = `postgres://postgres:bench@127.0.0.1:${String(relay?.port ?? port)}/postgres`;
  const schema = `delay_${String(delayMs)}`;
  const open = async (name: string): Promise<WritingNode> => {
    const node: WritingNode = new RemoteProcess(PROGRAM);
    await node.call('open', { name, url, schema, directory: join(directory, schema, name) });
    return node;
  };
  const rateOf = (nodes: readonly WritingNode[], writers: number, ms: number): Promise<Rate> =>
    rated(nodes, { writers, ms, databasePid });
  const first = await open('first');
  const rates: Rates[] = [];
  for (let round = 0; round <= rounds; round++) {
    const one = await rateOf([first], WRITERS, leastMs);
    const second = await open(`second-${String(round)}`);
    // A process that has just begun is slower than the first node is by now.
    await rateOf([second], WRITERS, WARM_UP_MS);
    const spread = await rateOf([first, second], WRITERS / 2, leastMs);
    const each = await rateOf([first, second], WRITERS, leastMs);
    await closed(second);
    rates.push({ one, spread, each });
  }
  await closed(first);
  await relay?.stop();
  return rates.slice(1);
}

interface Asked {
  /** On each node. */
  readonly writers: number;
  readonly ms: number;
  readonly databasePid: number;
}

async function rated(nodes: readonly WritingNode[], { writers, ms, databasePid }: Asked): Promise<Rate> {
  const beforeMs = cpuMsOfChildren(databasePid);
  const written = await Promise.all(nodes.map((node) => node.call('write', { writers, ms })));
  const databaseMs = cpuMsOfChildren(databasePid) - beforeMs;
  const sum = (figure: (each: Written) => number): number =>
    written.reduce((total, each) => total + figure(each), 0);
  const writes = sum((each) => each.writes);
  const nodesMs = sum(({ cpuMs }) => cpuMs);
  return {
    perSecond: sum((each) => (each.writes * 1_000) / each.ms),
    nodesUs: (nodesMs * 1_000) / writes,
    databaseUs: (databaseMs * 1_000) / writes,
    processors: (nodesMs + databaseMs) / Math.max(...written.map((each) => each.ms)),
  };
}

async function closed(node: WritingNode): Promise<void> {
  await node.call('close', undefined);
  await node.end();
}
