/**
 * Writers on one node of a shared store, and on two, with a network of some length between the nodes and the
 * database. Each node is a process of its own.
 */
import { join } from 'node:path';
import { RemoteProcess } from '../harness/child-process.ts';
import { median } from '../harness/stopwatch.ts';
import { DelayRelay } from './delay-relay.ts';
import type { WritingNodeProtocol } from './writing-node-protocol.ts';

const DELAYS_MS = [0, 1, 5, 20];
const WRITERS = 12;
const WARM_UP_MS = 2_000;
const PROGRAM = new URL('./writing-node.ts', import.meta.url);

type WritingNode = RemoteProcess<WritingNodeProtocol>;

export interface DelayOptions {
  /** Of the database. */
  readonly port: number;
  readonly directory: string;
  readonly rounds: number;
  readonly roundMs: number;
}

interface Rates {
  /** Twelve writers on one node. */
  readonly one: number;
  /** The same, spread over two. */
  readonly spread: number;
  /** Twelve on each of two. */
  readonly each: number;
}

/** A Markdown table: a row for each delay. */
export async function delayedWriters(options: DelayOptions): Promise<string> {
  const rows = [
    '| delay each way | 12 on one node | 12 over two nodes | ratio | 12 on each of two | ratio |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const delayMs of DELAYS_MS) {
    const rounds = await measured(options, delayMs);
    const rate = (of: keyof Rates): string => `${median(rounds.map((each) => each[of])).toFixed(0)}/s`;
    const ratio = (of: keyof Rates): string => median(rounds.map((each) => each[of] / each.one)).toFixed(2);
    const cells = [
      `${String(delayMs)} ms`,
      rate('one'),
      rate('spread'),
      ratio('spread'),
      rate('each'),
      ratio('each'),
    ];
    rows.push(`| ${cells.join(' | ')} |`);
  }
  return rows.join('\n');
}

/** The first round, a warm-up, is left out. */
async function measured(
  { port, directory, rounds, roundMs }: DelayOptions,
  delayMs: number,
): Promise<readonly Rates[]> {
  const relay = delayMs === 0 ? undefined : await DelayRelay.start(port, delayMs);
  const url = `postgres://postgres:bench@127.0.0.1:${String(relay?.port ?? port)}/postgres`;
  const schema = `delay_${String(delayMs)}`;
  const open = async (name: string): Promise<WritingNode> => {
    const node: WritingNode = new RemoteProcess(PROGRAM);
    await node.call('open', { name, url, schema, directory: join(directory, schema, name) });
    return node;
  };
  const first = await open('first');
  const rates: Rates[] = [];
  for (let round = 0; round <= rounds; round++) {
    const one = await rateOf([first], WRITERS, roundMs);
    const second = await open(`second-${String(round)}`);
    // A process that has just begun is slower than the first node is by now.
    await rateOf([second], WRITERS, WARM_UP_MS);
    const spread = await rateOf([first, second], WRITERS / 2, roundMs);
    const each = await rateOf([first, second], WRITERS, roundMs);
    await closed(second);
    rates.push({ one, spread, each });
  }
  await closed(first);
  await relay?.stop();
  return rates.slice(1);
}

/** Acknowledged writes a second, of all nodes. */
async function rateOf(nodes: readonly WritingNode[], writers: number, ms: number): Promise<number> {
  const written = await Promise.all(nodes.map((node) => node.call('write', { writers, ms })));
  return written.reduce((sum, each) => sum + (each.writes * 1_000) / each.ms, 0);
}

async function closed(node: WritingNode): Promise<void> {
  await node.call('close', undefined);
  await node.end();
}
