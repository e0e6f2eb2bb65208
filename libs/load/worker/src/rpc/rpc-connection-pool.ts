import { assert } from '#platform/foundation';
import { ProcessorShare } from './processor-share.ts';
import { rpcAddress, RpcConnection, type Sendable, type SendListener } from './rpc-connection.ts';

export interface RpcConnectionPoolOptions {
  /** URLs that are used in turn. */
  readonly urls: readonly string[];
  /** Maximum number for all URLs together. */
  readonly connections: number;
  readonly timeoutMs: number;
  /** Of this process; another one for tests. */
  readonly processor?: ProcessorShare;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const NO_LISTENER: SendListener<Sendable> = {
  onStart: () => {
    assert(false, 'a pool has a listener before it sends');
  },
  onReply: () => {
    assert(false, 'a pool has a listener before it sends');
  },
};
const WARM_UP_AT_ONCE = 64;
/** The time for which a URL that failed to connect is skipped while another has room. */
const DOWN_MS = 1_000;
/** The interval between two searches for late exchanges, at most; a fraction of the time-out. */
const SWEEP_MS_MAX = 1_000;
const SWEEPS_A_TIMEOUT = 4;

/**
 * Connections for `eth_sendRawTransaction`, which a sequencer answers only after sequencing: each carries one
 * transaction, so there is one for each unanswered transaction. They are opened on demand; the most recently
 * used is used first, and idle ones close by themselves. A request without a connection is sent to the next
 * URL, since nothing was sent; an error is an answer, and is not repeated elsewhere.
 */
export class RpcConnectionPool<Job extends Sendable> {
  readonly #options: RpcConnectionPoolOptions;
  readonly #groups: readonly ConnectionGroup<Job>[];
  readonly #processor: ProcessorShare;
  readonly #listener: SendListener<Job> = {
    onStart: (job) => {
      this.#reported.onStart(job);
    },
    onReply: (job, reply) => {
      if (this.#tried.size > 0) this.#tried.delete(job);
      this.#reported.onReply(job, reply);
    },
  };
  #reported: SendListener<Job> = NO_LISTENER;
  /** The URLs already tried by requests that found no connection. */
  readonly #tried = new Map<Job, Set<ConnectionGroup<Job>>>();
  #turn = 0;
  /** Called after a failed connection to a URL. */
  #hasTrouble = false;
  readonly #sweeping: NodeJS.Timeout;

  constructor(options: RpcConnectionPoolOptions) {
    this.#options = options;
    this.#processor = options.processor ?? new ProcessorShare(options.timeoutMs);
    const share = Math.max(1, Math.floor(options.connections / options.urls.length));
    this.#groups = options.urls.map((url) => {
      const group: ConnectionGroup<Job> = {
        all: [],
        idle: [],
        size: share,
        downUntilMs: 0,
        open: () => this.#open(url, group),
      };
      return group;
    });
    // One timer for all: a timer for each transaction would cost more than its answer.
    const everyMs = Math.min(SWEEP_MS_MAX, Math.ceil(options.timeoutMs / SWEEPS_A_TIMEOUT));
    this.#sweeping = setInterval(() => {
      this.#endLate();
    }, everyMs);
    this.#sweeping.unref();
  }

  /** Call once, before the first request is sent. */
  listen(listener: SendListener<Job>): void {
    this.#reported = listener;
  }

  get hasRoom(): boolean {
    return this.#groups.some(hasRoom);
  }

  /** Requires `hasRoom`. The listener receives the reply, never before this call has returned. */
  send(job: Job): void {
    const group = this.#groupInTurn();
    (group.idle.pop() ?? group.open()).send(job);
  }

  /** Opens a number of connections in advance. */
  async warmUp(count: number): Promise<void> {
    const connections: RpcConnection<Job>[] = [];
    while (connections.length < count && this.hasRoom) {
      const group = this.#groupInTurn();
      connections.push(group.idle.pop() ?? group.open());
    }
    const waiting = connections.values();
    const work = async (): Promise<void> => {
      for (const connection of waiting) await connection.warmUp();
    };
    await Promise.all(Array.from({ length: WARM_UP_AT_ONCE }, work));
    for (const group of this.#groups) group.idle = [...group.all];
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all(this.#groups.flatMap(({ all }) => all.map((connection) => connection.close())));
  }

  #endLate(): void {
    this.#processor.sample();
    const nowMs = performance.now();
    for (const { all } of this.#groups) for (const connection of all) connection.endIfLate(nowMs);
  }

  #groupInTurn(): ConnectionGroup<Job> {
    const count = this.#groups.length;
    const inTurn = this.#groups.map((_, i) => this.#groups[(this.#turn + i) % count]);
    const nowMs = this.#hasTrouble ? performance.now() : 0;
    const withRoom = inTurn.filter((one) => one !== undefined && hasRoom(one));
    const group = withRoom.find((one) => (one?.downUntilMs ?? 0) <= nowMs) ?? withRoom[0];
    assert(group !== undefined, 'a transaction is sent while there is room');
    this.#turn = (this.#groups.indexOf(group) + 1) % count;
    return group;
  }

  /** Sends the request to an untried URL with room, if there is one. */
  #sendElsewhere(job: Job, from: ConnectionGroup<Job>): boolean {
    from.downUntilMs = performance.now() + DOWN_MS;
    this.#hasTrouble = true;
    const tried = this.#tried.get(job) ?? new Set();
    const next = this.#groups.find((group) => group !== from && !tried.has(group) && hasRoom(group));
    if (next === undefined) {
      this.#tried.delete(job);
      return false;
    }
    this.#tried.set(job, tried.add(from));
    (next.idle.pop() ?? next.open()).send(job);
    return true;
  }

  #open(url: string, group: ConnectionGroup<Job>): RpcConnection<Job> {
    const { timeoutMs, headers } = this.#options;
    const onIdle = (connection: RpcConnection<Job>): void => void group.idle.push(connection);
    const opened = new RpcConnection({
      address: rpcAddress(url, headers),
      timeoutMs,
      onIdle,
      listener: this.#listener,
      processor: this.#processor,
      onUnsent: (job) => this.#sendElsewhere(job, group),
    });
    group.all.push(opened);
    return opened;
  }
}

interface ConnectionGroup<Job extends Sendable> {
  /** Time until which the URL counts as down, by the clock of the process; 0: it never was. */
  downUntilMs: number;
  readonly all: RpcConnection<Job>[];
  idle: RpcConnection<Job>[];
  readonly size: number;
  readonly open: () => RpcConnection<Job>;
}

function hasRoom<Job extends Sendable>({ idle, all, size }: ConnectionGroup<Job>): boolean {
  return idle.length > 0 || all.length < size;
}
