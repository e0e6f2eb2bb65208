/**
 * Three PostgreSQL of which two follow the third, three built servers over them, writers and readers on all:
 * in each round one process is killed or frozen, or connections are cut. `KILL_ROUNDS=200` runs a long set.
 */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { parseStoreAddress, repeatedReplies } from '#graph/cluster';
import { ClusterLoad, ClusterUnderTest, postgresMissing, PostgresProcess } from '#graph/testing';
import { pause, seededRandom, Secret } from '#platform/foundation';
import { describeUnless, effort } from '#testing';
import { startServer } from './support/built-program.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(9, 3));
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const WRITERS = 24;
const READERS = 8;
const SAVERS = 3;
/** Minimum progress beside the fault. */
const SOME_WRITES = 48;
const SOME_READS = 8;
const ROUND_TIMEOUT_MS = 120_000;
const POLL_MS = 5;
const describeWithServer = describeUnless(postgresMissing());

type Fault = (scene: Scene) => Promise<void>;

describeWithServer('nodes and databases that are killed, frozen and cut off under load', () => {
  let cluster: ClusterUnderTest;
  let scene: Scene;

  beforeEach(async () => {
    cluster = await ClusterUnderTest.start(startServer);
    scene = new Scene(cluster, SEED);
  });
  afterEach(async () => {
    scene.giveUp();
    await cluster.stop();
    await scene.load.stop();
  });

  it(
    `lose no acknowledged write, tear none, and never go back, over ${ROUNDS} rounds`,
    async () => {
      process.stdout.write(`cluster kill test: seed ${SEED}\n`);
      scene.load.start(WRITERS, READERS, { savers: SAVERS });
      for (let round = 0; round < ROUNDS; round++) {
        const name = await scene.play(round);
        const lost = await Promise.all(cluster.nodes.map((node) => scene.load.lost(node, round)));

        expect({ round, name, lost, violations: scene.load.violations }).toEqual({
          round,
          name,
          lost: [[], [], []],
          violations: [],
        });
      }
      await scene.load.stop();
      for (let round = 0; round < ROUNDS; round++) {
        const lost = await Promise.all(cluster.nodes.map((node) => scene.load.lost(node, round)));
        expect([round, ...lost]).toEqual([round, [], [], []]);
      }
      const address = parseStoreAddress(cluster.store, new Secret(PostgresProcess.password));
      const { violations, replies } = await repeatedReplies(address, 'plexus');
      const codes = await Promise.all(cluster.nodes.map((node) => node.end('SIGTERM')));

      expect(violations).toEqual([]);
      // Also of those that were not acknowledged.
      expect(replies).toBeGreaterThanOrEqual(scene.load.writes);
      expect(codes).toEqual([0, 0, 0]);
      expect(scene.load.violations).toEqual([]);
      process.stdout.write(`${scene.summary()}\n`);
    },
    (ROUNDS + 1) * ROUND_TIMEOUT_MS,
  );
});

describeWithServer('the load of this test', () => {
  const over = new AbortController();
  let cluster: ClusterUnderTest;
  let load: ClusterLoad;

  beforeEach(async () => {
    cluster = await ClusterUnderTest.start(startServer, { isAsynchronous: true });
    // Longer than a write takes on a busy machine, so that no write runs twice at once.
    load = new ClusterLoad(cluster.nodes, seededRandom(SEED), [ROUND_TIMEOUT_MS]);
  });
  afterEach(async () => {
    over.abort();
    await cluster.stop();
    await load.stop();
  });

  it(
    'reports every write that was acknowledged and lost, of a primary whose standbys did not have it',
    async () => {
      const { trio, nodes } = cluster;
      const moreWrites = async (): Promise<void> => {
        const { progress } = load;
        await until(() => load.progress.every((n, writer) => n > (progress[writer] ?? 0)), over.signal);
      };
      load.start(WRITERS, READERS);
      await moreWrites();
      await Promise.all(trio.standbys.map((standby) => standby.kill()));
      // A write in flight may have reached a standby before.
      await moreWrites();
      const before = new Set(load.kept);
      await moreWrites();
      const { standbys, primary } = trio;
      await primary.kill();
      const gone = [...load.kept].filter((key) => !before.has(key));
      await Promise.all(standbys.map((standby) => standby.start()));
      await trio.promote();
      await moreWrites();
      const lost = await Promise.all(nodes.map((node) => load.lost(node, 0)));

      expect(gone.length).toBeGreaterThanOrEqual(WRITERS);
      for (const keys of lost) expect(keys).toEqual(expect.arrayContaining(gone));
    },
    ROUND_TIMEOUT_MS,
  );
});

/** The processes, the load on them, and the faults. */
class Scene {
  readonly cluster: ClusterUnderTest;
  readonly load: ClusterLoad;
  readonly #random: () => number;
  readonly #writableMs: number[] = [];
  readonly #over = new AbortController();
  #left: [string, Fault][] = [];

  constructor(cluster: ClusterUnderTest, seed: number) {
    this.cluster = cluster;
    this.#random = seededRandom(seed);
    this.load = new ClusterLoad(cluster.nodes, seededRandom(seed + 1));
  }

  any<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('expected something to choose from');
    return item;
  }

  giveUp(): void {
    this.#over.abort();
  }

  /** One round: progress, a fault and its repair, progress. Returns the fault. */
  async play(round: number): Promise<string> {
    this.load.round = round;
    await this.#all();
    if (this.#left.length === 0) this.#left = this.#shuffled();
    const [name, fault] = this.#left.shift() ?? this.any(FAULTS);
    const startMs = performance.now();
    const before = this.load.writes;
    await fault(this);
    await this.#all();
    await this.cluster.trio.whole();
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    process.stdout.write(`round ${round}: ${name}, ${seconds} s, ${this.load.writes - before} writes\n`);
    for (const node of this.cluster.nodes)
      if (!node.isRunning) throw new Error(`a node has ended: ${node.log.slice(-20).join('\n')}`);
    return name;
  }

  async moreWrites(): Promise<void> {
    const { writes } = this.load;
    await this.until(() => this.load.writes >= writes + SOME_WRITES);
  }

  async moreReads(): Promise<void> {
    const { reads } = this.load;
    await this.until(() => this.load.reads >= reads + SOME_READS);
  }

  /** Resolves early on a violation. */
  async until(isSo: () => boolean): Promise<void> {
    const { violations } = this.load;
    await until(() => violations.length > 0 || isSo(), this.#over.signal);
    if (violations.length > 0) {
      for (const node of this.cluster.nodes)
        process.stdout.write(`--- ${node.name}\n${node.log.slice(-40).join('\n')}\n`);
      throw new Error(JSON.stringify(violations));
    }
  }

  /** The primary does not return. */
  async promote(): Promise<void> {
    const { trio } = this.cluster;
    const lost = trio.primary;
    await lost.kill();
    await trio.promote();
    const startMs = performance.now();
    const { writes } = this.load;
    await this.until(() => this.load.writes > writes);
    this.#writableMs.push(performance.now() - startMs);
    await this.moreWrites();
    await trio.join(lost);
  }

  summary(): string {
    const { load } = this;
    const times = this.#writableMs.map((ms) => Math.round(ms)).sort((a, b) => a - b);
    return [
      `${load.writes} writes acknowledged, ${load.reads} reads held; ${load.refused} refused with 503,`,
      `${load.unanswered} not answered; ${load.namesFound} saved queries found; writable after promotion in ms: ${times.join(' ')}`,
    ].join(' ');
  }

  /** Resolves when each writer has one more acknowledged write. */
  async #all(): Promise<void> {
    const before = this.load.progress;
    await this.until(() => this.load.progress.every((n, writer) => n > (before[writer] ?? 0)));
  }

  #shuffled(): [string, Fault][] {
    // A short set always contains the first fault.
    const keyed = FAULTS.map((fault, index) => ({ fault, at: index === 0 ? -1 : this.#random() }));
    return keyed.sort((a, b) => a.at - b.at).map(({ fault }) => fault);
  }
}

const FAULTS: readonly [string, Fault][] = [
  ['the primary is lost', (scene) => scene.promote()],
  [
    'a node is killed',
    async (scene) => {
      const node = scene.any(scene.cluster.nodes);
      await node.end('SIGKILL');
      await scene.moreWrites();
      await node.start();
    },
  ],
  [
    'a node is frozen',
    async (scene) => {
      const node = scene.any(scene.cluster.nodes);
      node.signal('SIGSTOP');
      await scene.moreWrites();
      node.signal('SIGCONT');
    },
  ],
  [
    'a standby is killed',
    async (scene) => {
      const standby = scene.any(scene.cluster.trio.standbys);
      await standby.kill();
      await scene.moreWrites();
      await standby.start();
    },
  ],
  [
    'a standby is frozen',
    async (scene) => {
      const standby = scene.any(scene.cluster.trio.standbys);
      await standby.freeze();
      await scene.moreWrites();
      await standby.thaw();
    },
  ],
  [
    'the primary is killed and comes back',
    async (scene) => {
      const { primary } = scene.cluster.trio;
      await primary.kill();
      await scene.moreReads();
      await primary.start();
    },
  ],
  [
    'the primary is frozen',
    async (scene) => {
      await scene.cluster.trio.primary.freeze();
      await scene.moreReads();
      await scene.cluster.trio.primary.thaw();
    },
  ],
  [
    'COMMITs are cut',
    async (scene) => {
      const { relay } = scene.cluster;
      const cuts = Array.from({ length: 6 }, () => scene.any(['before', 'after'] as const));
      const done = relay.done + cuts.length;
      relay.cut(...cuts);
      await scene.until(() => relay.done >= done);
    },
  ],
  [
    'all connections are cut',
    async (scene) => {
      const { relay } = scene.cluster;
      relay.down();
      await scene.moreReads();
      relay.up();
    },
  ],
];

async function until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isSo()) {
    if (signal.aborted) throw new Error('the test was ended');
    await pause(POLL_MS);
  }
}
