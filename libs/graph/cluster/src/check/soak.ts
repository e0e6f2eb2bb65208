/**
 * Clients on all nodes for a given time: each write overwrites a pair of people and adds a permanent one;
 * readers pass the sequence number of the last acknowledged write to another node.
 */
import { recordsOf } from '#graph/engine';
import { isDeepStrictEqual } from 'node:util';
import { type CheckNode, numbered } from './check-nodes.ts';
import type { Check } from './check.ts';
import { type Finding, found } from './finding.ts';
import { History } from './history.ts';
import { person, seenOn, setTo } from './people.ts';
import { type Scene, traffic } from './traffic.ts';

const PAIRS = 16;
const REACH_MS = 5_000;
const SHOWN_MAX = 5;
const PERCENT = 100;

export const SOAK: Check = { id: 'soak', name: 'nothing acknowledged is lost, torn or hidden', run: soak };

async function soak(scene: Scene): Promise<Finding> {
  const { nodes, signal } = scene;
  const history = new History();
  const kept: string[] = [];
  const [writeMs, lagMs]: [number[], number[]] = [[], []];
  let newest = 0;
  const startMs = performance.now();
  await traffic(scene, {
    write: async (n, node, at) => {
      const pair = pairOf(n);
      const key = `soak-${String(n)}`;
      const entities = [...pair.map((each) => person(each, { n })), person(key, { n })];
      const askedMs = performance.now();
      const { seq } = await numbered(() => node.graph.write({ writeId: key, entities, relationships: [] }));
      const acknowledgedMs = performance.now();
      writeMs.push(acknowledgedMs - askedMs);
      history.wrote({ seq, values: setTo(pair, n) });
      kept.push(key);
      newest = Math.max(newest, seq);
      await nodes.node(at + 1).graph.reached(seq, REACH_MS, signal);
      lagMs.push(performance.now() - acknowledgedMs);
    },
    read: async (node) => {
      const asked = newest;
      await node.graph.reached(asked, REACH_MS, signal);
      const seen = seenOn(node, pairOf(asked));
      history.saw(seen);
      if (seen.seq < asked) history.violated(`asked for ${String(asked)}, and shown ${String(seen.seq)}`);
    },
    isEnough: () => history.isEnough,
  });
  const seconds = (performance.now() - startMs) / 1_000;
  await nodes.caughtUp();
  const late = await nodes.late();
  const all = [...nodes.all, late];
  const lost = all.flatMap((node) => lostOn(node, kept));
  for (const violation of (await nodes.repeatedReplies()).violations) history.violated(violation);
  if (lost.length > 0) history.violated(`lost: ${[...new Set(lost)].slice(0, SHOWN_MAX).join(', ')}`);
  const [first, ...others] = all.map(({ graph }) => recordsOf(graph));
  if (others.some((records) => !isDeepStrictEqual(records, first)))
    history.violated('nodes hold different records');
  const seen = [
    `${String(kept.length)} writes acknowledged (${String(Math.round(kept.length / seconds))}/s)`,
    `${String(history.reads)} reads`,
    `p50 ${percentile(writeMs, 50)} p99 ${percentile(writeMs, 99)} ms to write`,
    `p99 ${percentile(lagMs, 99)} ms until another node shows it`,
  ];
  return found(history.violations(), seen.join(', '), history.isEnough);
}

const pairOf = (n: number): readonly string[] => [
  `soak-left-${String(n % PAIRS)}`,
  `soak-right-${String(n % PAIRS)}`,
];

function lostOn(node: CheckNode, keys: readonly string[]): readonly string[] {
  const { values } = seenOn(node, keys);
  return keys.filter((key) => values.get(key) === undefined);
}

function percentile(values: readonly number[], percent: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length * percent) / PERCENT)] ?? 0).toFixed(1);
}
