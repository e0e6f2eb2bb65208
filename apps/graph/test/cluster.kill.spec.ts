/**
 * Three PostgreSQL of which two follow the third, three built servers over them, writers and readers on all:
 * in each round one process is killed or frozen, or connections are cut. `KILL_ROUNDS=200` runs a long set.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { postgresMissing } from '#graph/testing';
import { pause, seededRandom } from '#platform/foundation';
import { effort } from '#testing';
import { ClusterLoad } from './support/cluster-load.ts';
import { ClusterUnderTest } from './support/cluster-under-test.ts';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(9, 3));
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const WRITERS = 24;
const READERS = 8;
/** So much has to go on beside what is broken. */
const SOME_WRITES = 48;
const SOME_READS = 8;
const ROUND_TIMEOUT_MS = 120_000;
const POLL_MS = 5;
const missing = postgresMissing();
const describeWithServer = missing === undefined ? describe : skippedLoudly;

type Fault = (scene: Scene) => Promise<void>;

describeWithServer('nodes and databases that are killed, frozen and cut off under load', () => {
  let cluster: ClusterUnderTest;
  let scene: Scene;

  beforeEach(async () => {
    cluster = await ClusterUnderTest.start();
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
      scene.load.start(WRITERS, READERS);
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
      const codes = await Promise.all(cluster.nodes.map((node) => node.end('SIGTERM')));

      expect(codes).toEqual([0, 0, 0]);
      expect(scene.load.violations).toEqual([]);
      process.stdout.write(`${scene.summary()}\n`);
    },
    (ROUNDS + 1) * ROUND_TIMEOUT_MS,
  );
});

/** The processes, the load on them, and what is done to them. */
class Scene {
  readonly cluster: ClusterUnderTest;
  readonly load: ClusterLoad;
  readonly #random: () => number;
  readonly #writableMs: number[] = [];
  #left: [string, Fault][] = [];
  #isOver = false;

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
    this.#isOver = true;
  }

  /** One round: all goes on, something breaks and is mended, all goes on. Gives what it was. */
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

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#isOver) throw new Error('the test was ended');
      if (this.load.violations.length > 0) throw new Error(this.load.violations.join('\n'));
      await pause(POLL_MS);
    }
  }

  /** The primary is gone for good. */
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
      `${load.unanswered} not answered; writable after promotion in ms: ${times.join(' ')}`,
    ].join(' ');
  }

  /** Each writer has one more write acknowledged. */
  async #all(): Promise<void> {
    const before = this.load.progress;
    await this.until(() => this.load.progress.every((n, writer) => n > (before[writer] ?? 0)));
  }

  #shuffled(): [string, Fault][] {
    // A short set has the first in any case.
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

function skippedLoudly(name: string): void {
  it(`${name}: SKIPPED, ${String(missing)}`, () => {
    expect(missing).not.toBe('');
  });
}
