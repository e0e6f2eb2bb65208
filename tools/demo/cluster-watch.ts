/** Polls the state of the nodes and databases of a cluster. */
import type { ClusterLoad } from '../../libs/graph/testing/src/cluster/cluster-load.ts';
import type {
  ClusterUnderTest,
  NodeUnderTest,
} from '../../libs/graph/testing/src/cluster/cluster-under-test.ts';

/** The used part of a reply of `/v1/health`. */
interface Health {
  readonly status: string;
  readonly position: Position | undefined;
}

/** Set for a node that accepts writes. */
interface Position {
  readonly role: string;
  readonly seq: number;
  readonly published: number;
  readonly lag_ms: number;
}

export interface NodeSight {
  readonly name: string;
  readonly url: string;
  /** The state reported by the node, or: `killed`, `starting`, `no answer`. */
  readonly state: string;
  readonly position: Position | undefined;
  readonly writesPerSecond: number;
  readonly readsPerSecond: number;
}

export interface DatabaseSight {
  readonly name: string;
  readonly port: number;
  readonly role: 'primary' | 'standby' | '–';
  readonly state: string;
}

interface Sample {
  readonly atMs: number;
  readonly counts: ReadonlyMap<NodeUnderTest, { readonly writes: number; readonly reads: number }>;
}

const WINDOW_MS = 1_000;
const BAR_MS = 500;
const HEALTH_MS_MAX = 1_000;

export class ClusterWatch {
  /** Being started. */
  starting: NodeUnderTest | undefined;
  readonly #cluster: ClusterUnderTest;
  readonly #load: ClusterLoad;
  /** Acknowledged per second, for consecutive half seconds. */
  readonly rates: number[] = [];
  #bar = { atMs: performance.now(), writes: 0 };
  #samples: Sample[] = [];
  #nodes: readonly NodeSight[] = [];

  constructor(cluster: ClusterUnderTest, load: ClusterLoad) {
    this.#cluster = cluster;
    this.#load = load;
  }

  /** The state of the last poll. */
  get nodes(): readonly NodeSight[] {
    return this.#nodes;
  }

  get databases(): readonly DatabaseSight[] {
    const { trio } = this.#cluster;
    return trio.all.map((database) => {
      const { name, isRunning } = database;
      const { port } = this.#cluster.relayOf(database);
      if (!isRunning) return { name, port, role: '–', state: 'killed' };
      if (database === trio.primary) return { name, port, role: 'primary', state: 'takes writes' };
      const state = trio.primary.isRunning ? `follows ${trio.primary.name}` : `has lost ${trio.primary.name}`;
      return { name, port, role: 'standby', state };
    });
  }

  /** The node that runs schedules, as far as known. */
  get leader(): NodeUnderTest | undefined {
    return this.#cluster.nodes.find((_, at) => this.#nodes[at]?.position?.role === 'leader');
  }

  async look(): Promise<void> {
    const { nodes } = this.#cluster;
    const counts = new Map(nodes.map((node) => [node, { ...this.#load.answeredBy(node) }]));
    const now = { atMs: performance.now(), counts };
    this.#samples = [...this.#samples.filter(({ atMs }) => now.atMs - atMs <= WINDOW_MS), now];
    this.#addBar();
    this.#nodes = await Promise.all(nodes.map((node) => this.#sightOf(node)));
  }

  #addBar(): void {
    const now = { atMs: performance.now(), writes: this.#load.writes };
    const tookMs = now.atMs - this.#bar.atMs;
    if (tookMs < BAR_MS) return;
    this.rates.push(((now.writes - this.#bar.writes) * 1_000) / tookMs);
    this.#bar = now;
  }

  async #sightOf(node: NodeUnderTest): Promise<NodeSight> {
    const { name, url } = node;
    const writesPerSecond = this.#rateOf(node, 'writes');
    const readsPerSecond = this.#rateOf(node, 'reads');
    const health = node.isRunning ? await healthOf(url) : undefined;
    const silent = this.starting === node ? 'starting' : node.isRunning ? 'no answer' : 'killed';
    const { status = silent, position } = health ?? {};
    return { name, url, state: status, position, writesPerSecond, readsPerSecond };
  }

  #rateOf(node: NodeUnderTest, what: 'writes' | 'reads'): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || first === last) return 0;
    const more = (last.counts.get(node)?.[what] ?? 0) - (first.counts.get(node)?.[what] ?? 0);
    return (more * 1_000) / (last.atMs - first.atMs);
  }
}

async function healthOf(url: string): Promise<Health | undefined> {
  try {
    const reply = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(HEALTH_MS_MAX) });
    const { status, ...position } = (await reply.json()) as { readonly status: string } & Partial<Position>;
    return { status, position: isPosition(position) ? position : undefined };
  } catch {
    return undefined;
  }
}

/** A node that rejects writes does not report its sequence number. */
function isPosition(position: Partial<Position>): position is Position {
  return position.seq !== undefined;
}
