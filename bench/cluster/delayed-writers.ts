/**
 * Twelve writers on one node of a shared store, and spread over two, with a network of some length between
 * the nodes and the database. Each node is a process of its own.
 */
import { join } from 'node:path';
import { RemoteProcess } from '../harness/child-process.ts';
import { median } from '../harness/stopwatch.ts';
import { DelayRelay } from './delay-relay.ts';
import type { WritingNodeProtocol } from './writing-node-protocol.ts';

const DELAYS_MS = [0, 1, 5, 20];
const WRITERS = 12;
const RATIO_MIN = 0.8;
const PROGRAM = new URL('./writing-node.ts', import.meta.url);

type WritingNode = RemoteProcess<WritingNodeProtocol>;

export interface DelayOptions {
  /** Of the database. */
  readonly port: number;
  readonly directory: string;
  readonly rounds: number;
  readonly roundMs: number;
}

/** A Markdown table: a row for each delay. */
export async function delayedWriters(options: DelayOptions): Promise<string> {
  const rows = [
    '| delay each way | one node | two nodes | ratio | to reach | reached |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const delayMs of DELAYS_MS) {
    const { one, two, ratio } = await measured(options, delayMs);
    const isReached = ratio >= RATIO_MIN ? 'yes' : 'no';
    rows.push(
      `| ${String(delayMs)} ms | ${one.toFixed(0)}/s | ${two.toFixed(0)}/s | ${ratio.toFixed(2)} | ≥ ${String(RATIO_MIN)} | ${isReached} |`,
    );
  }
  return rows.join('\n');
}

/** Medians of the rates, and of their ratio in each round; the first round is a warm-up. */
async function measured(
  { port, directory, rounds, roundMs }: DelayOptions,
  delayMs: number,
): Promise<{ readonly one: number; readonly two: number; readonly ratio: number }> {
  const relay = await DelayRelay.start(port, delayMs);
  const url = `postgres://postgres:bench@127.0.0.1:${String(relay.port)}/postgres`;
  const schema = `delay_${String(delayMs)}`;
  const open = async (name: string): Promise<WritingNode> => {
    const node: WritingNode = new RemoteProcess(PROGRAM);
    await node.call('open', { name, url, schema, directory: join(directory, schema, name) });
    return node;
  };
  const first = await open('first');
  const ones: number[] = [];
  const twos: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const one = await rateOf([first], roundMs);
    const second = await open(`second-${String(round)}`);
    const two = await rateOf([first, second], roundMs);
    await closed(second);
    if (round === 0) continue;
    ones.push(one);
    twos.push(two);
  }
  await closed(first);
  await relay.stop();
  const ratios = twos.map((two, at) => two / (ones[at] ?? Number.NaN));
  return { one: median(ones), two: median(twos), ratio: median(ratios) };
}

/** Acknowledged writes a second of all writers, spread over the nodes. */
async function rateOf(nodes: readonly WritingNode[], ms: number): Promise<number> {
  const writers = WRITERS / nodes.length;
  const written = await Promise.all(nodes.map((node) => node.call('write', { writers, ms })));
  return written.reduce((sum, each) => sum + (each.writes * 1_000) / each.ms, 0);
}

async function closed(node: WritingNode): Promise<void> {
  await node.call('close', undefined);
  await node.end();
}
