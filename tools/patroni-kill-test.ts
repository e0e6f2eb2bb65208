/**
 * Three nodes over three PostgreSQL under Patroni, with writers and readers on all nodes. In each round the
 * leader of the databases is killed with its Patroni, or alone, or is switched over; Patroni alone decides
 * what comes next. Every acknowledged write is looked up on each node afterwards, and the log is read. Exits
 * 0 only when no write was lost, torn or applied twice, and no read was stale.
 *
 * Needs Debian's packages `patroni`, `etcd-server` and `postgresql`: it is run by hand.
 *
 *   node tools/bootstrap.mjs tools/patroni-kill-test.ts [--rounds 9]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseStoreAddress, repeatedReplies } from '#graph/cluster';
import { Secret } from '#platform/foundation';
import { type RunningServer, startServer } from '../apps/graph/test/support/built-program.ts';
import { ClusterLoad } from '../libs/graph/testing/src/cluster/cluster-load.ts';
import { type Member, PatroniTrio, until } from './patroni/patroni-trio.ts';

const NODES = 3;
const WRITERS = 12;
const READERS = 4;
/** Acknowledged in a round before its fault. */
const SOME_WRITES = 48;
const MS = 1_000;

type Fault = (trio: PatroniTrio, leader: Member) => Promise<void>;

const FAULTS: readonly (readonly [name: string, fault: Fault])[] = [
  ['the leader and its Patroni are killed', (trio, leader) => trio.kill(leader)],
  ['a switchover is ordered', (trio, leader) => trio.switchOver(leader)],
  ['the leader is killed, its Patroni is not', async (trio, leader) => trio.killDatabase(leader)],
];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Resolves to the acknowledged writes that a node lacks. */
async function play(round: number, trio: PatroniTrio, { load, nodes }: Loaded): Promise<readonly string[]> {
  load.round = round;
  const [name = '', fault] = FAULTS[round % FAULTS.length] ?? [];
  const before = load.writes;
  await until('some writes', () => load.writes >= before + SOME_WRITES);
  const leader = await trio.leader();
  const startMs = performance.now();
  await fault?.(trio, leader);
  // One may have been acknowledged before the fault took effect.
  const { progress } = load;
  await until('two writes of each writer', () => load.progress.every((n, at) => n > (progress[at] ?? 0) + 1));
  const seconds = (performance.now() - startMs) / MS;
  await trio.whole();
  const lost = (await Promise.all(nodes.map((node) => load.lost(node, round)))).flat();
  const what = `${name} (${leader.name}), ${(await trio.leader()).name} leads`;
  say(`round ${round}: ${what}; all write again after ${seconds.toFixed(1)} s; lost: ${lost.length}`);
  return lost;
}

interface Loaded {
  readonly load: ClusterLoad;
  readonly nodes: readonly RunningServer[];
}

/** Resolves to whether nothing was wrong. */
async function run(trio: PatroniTrio, nodes: readonly RunningServer[], rounds: number): Promise<boolean> {
  const load = new ClusterLoad(nodes, Math.random);
  const lost: string[] = [];
  load.start(WRITERS, READERS);
  try {
    for (let round = 0; round < rounds; round++) lost.push(...(await play(round, trio, { load, nodes })));
  } finally {
    await load.stop();
    for (const { kind, text } of load.violations) say(`  ${kind}: ${text}`);
  }
  for (let round = 0; round < rounds; round++)
    lost.push(...(await Promise.all(nodes.map((node) => load.lost(node, round)))).flat());
  const address = parseStoreAddress(trio.storeUrl, new Secret(trio.password));
  const { violations } = await repeatedReplies(address, 'plexus');
  say(`${load.writes} writes acknowledged, ${new Set(lost).size} lost, ${violations.length} applied twice`);
  say(`${load.reads} reads, ${load.violations.length} torn, behind their token or unexpected`);
  return lost.length + violations.length + load.violations.length === 0;
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const trio = new PatroniTrio();
const nodes: RunningServer[] = [];
let isRight = false;
try {
  await trio.start();
  for (const version of trio.versions) say(version);
  const environment = { PLEXUS_STORE_PASSWORD: trio.password };
  for (let at = 0; at < NODES; at++) nodes.push(await startServer(['--store', trio.storeUrl], environment));
  isRight = await run(trio, nodes, Number(values.rounds));
} finally {
  await Promise.all(nodes.map((node) => node.end('SIGTERM')));
  const logs = await trio.stop({ keepsLogs: !isRight });
  if (logs !== undefined) {
    for (const [at, { log }] of nodes.entries()) writeFileSync(join(logs, `node-${at}.log`), log.join('\n'));
    say(`logs: ${logs}`);
  }
}
process.exitCode = isRight ? 0 : 1;
