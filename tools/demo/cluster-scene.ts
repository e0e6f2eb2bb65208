/** A cluster under load; a node and then the primary database are killed. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterLoad } from '../../libs/graph/testing/src/cluster/cluster-load.ts';
import type {
  ClusterUnderTest,
  NodeUnderTest,
} from '../../libs/graph/testing/src/cluster/cluster-under-test.ts';
import { grouped } from './cluster-counts.ts';
import type { ClusterWatch } from './cluster-watch.ts';

const WRITERS = 12;
const READERS = 4;
const PLAIN_READERS = 2;
/** All processes share a machine: without it, readers leave little of two cores to writers. */
const READER_REST_MS = 20;
const POLL_MS = 5;
/** Time for the viewer; an operator needs longer. */
const UNTIL_PROMOTION_MS = 1_000;

interface SceneOptions {
  readonly seconds: number;
  /** Ends the process. */
  readonly signal: AbortSignal;
  readonly say: (event: string) => void;
}

export class ClusterScene {
  readonly #cluster: ClusterUnderTest;
  readonly #load: ClusterLoad;
  readonly #watch: ClusterWatch;
  readonly #options: SceneOptions;
  /** The node may be down at the moment. */
  #killed: NodeUnderTest | undefined;

  constructor(cluster: ClusterUnderTest, load: ClusterLoad, watch: ClusterWatch, options: SceneOptions) {
    this.#cluster = cluster;
    this.#load = load;
    this.#watch = watch;
    this.#options = options;
  }

  async play(): Promise<void> {
    const { say } = this.#options;
    this.#load.start(WRITERS, READERS, { plainReaders: PLAIN_READERS, restMs: READER_REST_MS });
    say(
      `load started: ${WRITERS} writers, ${READERS + PLAIN_READERS} readers, each request to any of the nodes`,
    );
    await this.#part(0.2);
    await this.#loseNode();
    await this.#part(0.25);
    await this.#losePrimary();
    await this.#part(0.3);
    await this.#load.stop();
    say('load stopped');
  }

  async #loseNode(): Promise<void> {
    const { say } = this.#options;
    const node = this.#watch.leader ?? this.#cluster.nodes[0];
    if (node === undefined) throw new Error('expected a node');
    const { pid, name } = node;
    const { writes } = this.#load;
    const leads = node === this.#watch.leader ? ', which leads,' : '';
    this.#killed = node;
    await node.end('SIGKILL');
    say(`node ${name}${leads} is killed by SIGKILL (process ${pid})`);
    await this.#part(0.2);
    say(`the others have acknowledged ${grouped(this.#load.writes - writes)} writes meanwhile`);
    const startMs = performance.now();
    this.#watch.starting = node;
    await node.start();
    this.#watch.starting = undefined;
    this.#killed = undefined;
    say(`node ${name} is back after ${seconds(performance.now() - startMs)}, as process ${node.pid}`);
  }

  async #losePrimary(): Promise<void> {
    const { say, signal } = this.#options;
    const { trio } = this.#cluster;
    const lost = trio.primary;
    const killedMs = performance.now();
    await lost.kill();
    say(`the primary ${lost.name} is killed by SIGKILL, with all of its processes: writes wait`);
    const { reads } = this.#load;
    await pause(UNTIL_PROMOTION_MS, undefined, { signal });
    say(
      `${grouped(this.#load.reads - reads)} reads were answered meanwhile; the most advanced standby is promoted`,
    );
    const { writes } = this.#load;
    const promotedMs = performance.now();
    const [writableMs] = await Promise.all([this.#writable(writes), trio.promote()]);
    const [sinceKill, sincePromotion] = [writableMs - killedMs, writableMs - promotedMs].map(Math.round);
    say(
      `${trio.primary.name} takes writes: ${grouped(sincePromotion ?? 0)} ms after the promotion was ordered, ` +
        `${grouped(sinceKill ?? 0)} ms after the kill`,
    );
  }

  /** Resolves when one more write was acknowledged. */
  async #writable(writes: number): Promise<number> {
    while (this.#load.writes <= writes) await pause(POLL_MS, undefined, { signal: this.#options.signal });
    return performance.now();
  }

  /** Waits for a part of the time; every process that was not killed must keep running. */
  async #part(share: number): Promise<void> {
    const { seconds: whole, signal } = this.#options;
    await pause(share * whole * 1_000, undefined, { signal });
    for (const node of this.#cluster.nodes) {
      if (node !== this.#killed && !node.isRunning) throw new Error(`node ${node.name} has ended`);
    }
    this.#load.round++;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
