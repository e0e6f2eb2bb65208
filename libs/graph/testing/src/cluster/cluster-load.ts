/**
 * Writers and readers of several nodes, and the checks on their answers. Each writer overwrites a pair of
 * entities in one write with an increasing number, and adds one permanent entity.
 */
import { randomUUID } from 'node:crypto';
import { pause } from '#platform/foundation';

/** Current address of a node. */
export interface LoadedNode {
  readonly url: string;
}

/** A violation: part of a write, a lost acknowledged write, a 404 for one, or an unexpected answer. */
export interface Violation {
  readonly kind: 'torn' | 'behind' | 'unknown' | 'unexpected';
  readonly text: string;
}

/** Readers pass `Plexus-Seq` from reply to request. */
interface ReaderOptions {
  /** Number of further readers. */
  readonly plainReaders?: number;
  /** Pause of each reader after an answer. */
  readonly restMs?: number;
  /** Number of clients that save queries, and ask every node for them, without a token. */
  readonly savers?: number;
}

/** Acknowledged writes, and correct answers. */
interface Answered {
  writes: number;
  reads: number;
}

/** A number of a writer, with the version that has it. */
interface Numbered {
  readonly n: number;
  readonly token: string;
}

interface Found {
  readonly key: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: object;
  readonly token?: string;
  /** Counts the tries: each has its time-out. */
  readonly attempt: number;
}

/** Time-outs after which a client tries the next node; the longer one suffices for a rejection to arrive. */
const PATIENCE_MS: readonly number[] = [2_000, 12_000];
const PAUSE_MS = 5;
/** A client that saves queries is refused at once while the database is away. */
const SAVER_PAUSE_MS = 50;

export class ClusterLoad {
  readonly violations: Violation[] = [];
  /** Keys of the permanent entities of all acknowledged writes. */
  readonly kept = new Set<string>();
  /** Answers with 503, and requests without an answer. */
  refused = 0;
  unanswered = 0;
  /** Saved queries that a node was asked for and had, the first time or after 503 or no answer. */
  namesFound = 0;
  /** Stored in each added entity. */
  round = 0;
  readonly #nodes: readonly LoadedNode[];
  readonly #random: () => number;
  readonly #patienceMs: readonly number[];
  readonly #answered = new Map<LoadedNode, Answered>();
  readonly #latest: Numbered[] = [];
  readonly #work: Promise<void>[] = [];
  #restMs = 0;
  #isOver = false;

  /**
   * With short time-outs a write may be in flight at two nodes: one acknowledges it, and if that commit is
   * lost, the other may still apply it.
   */
  constructor(nodes: readonly LoadedNode[], random: () => number, patienceMs = PATIENCE_MS) {
    this.#nodes = nodes;
    this.#random = random;
    this.#patienceMs = patienceMs;
    for (const node of nodes) this.#answered.set(node, { writes: 0, reads: 0 });
  }

  get writes(): number {
    return this.kept.size;
  }

  get reads(): number {
    return [...this.#answered.values()].reduce((sum, { reads }) => sum + reads, 0);
  }

  /** Number of acknowledged writes of each writer. */
  get progress(): readonly number[] {
    return this.#latest.map(({ n }) => n);
  }

  start(writers: number, readers: number, options: ReaderOptions = {}): void {
    const { plainReaders = 0, restMs = 0, savers = 0 } = options;
    this.#restMs = restMs;
    for (let at = 0; at < writers; at++) {
      this.#latest.push({ n: 0, token: '' });
      this.#work.push(this.#guarded(() => this.#write(at)));
    }
    for (let at = 0; at < readers; at++) this.#work.push(this.#guarded(() => this.#read()));
    for (let at = 0; at < plainReaders; at++) this.#work.push(this.#guarded(() => this.#readPlainly()));
    for (let at = 0; at < savers; at++) this.#work.push(this.#guarded(() => this.#save(at)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#work);
  }

  answeredBy(node: LoadedNode): Readonly<Answered> {
    return this.#of(node);
  }

  /** Acknowledged keys of a round that a node lacks; repeats the request until the node answers. */
  async lost(node: LoadedNode, round: number, signal?: AbortSignal): Promise<readonly string[]> {
    const keys = [...this.kept].filter((key) => key.startsWith(`${round}-`));
    const token = newest(this.#latest.map((latest) => latest.token));
    for (;;) {
      signal?.throwIfAborted();
      const reply = await this.#query(node, `FIND service WITH round = ${round}`, token);
      if (reply === undefined) {
        await pause(PAUSE_MS);
        continue;
      }
      const there = new Set(reply.found.map(({ key }) => key));
      return keys.filter((key) => !there.has(key));
    }
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.violations.push({ kind: 'unexpected', text: String(error) });
    }
  }

  #of(node: LoadedNode): Answered {
    const answered = this.#answered.get(node);
    if (answered === undefined) throw new Error('expected a node of this load');
    return answered;
  }

  #any(): LoadedNode {
    const node = this.#nodes[Math.floor(this.#random() * this.#nodes.length)];
    if (node === undefined) throw new Error('expected a node');
    return node;
  }

  async #write(writer: number): Promise<void> {
    for (let n = 1; !this.#isOver; n++) {
      const key = `${this.round}-${writer}-${n}`;
      const properties = { writer, n };
      const body = {
        write_id: randomUUID(),
        entities: [
          { type: 'host', key: `${writer}-left`, properties },
          { type: 'service', key, properties: { round: this.round } },
          { type: 'host', key: `${writer}-right`, properties },
        ],
      };
      const token = await this.#repeated(body);
      if (token === undefined) return;
      this.kept.add(key);
      this.#latest[writer] = { n, token };
    }
  }

  /** Repeats a write until any node acknowledges it; undefined if the load ends before. */
  async #repeated(body: object): Promise<string | undefined> {
    for (let attempt = 0; !this.#isOver; attempt++) {
      const node = this.#any();
      const reply = await this.#ask(node, '/v1/ingest/write', { body, attempt });
      if (reply?.status === 200) {
        this.#of(node).writes++;
        return reply.token;
      }
      if (reply !== undefined && reply.status !== 503)
        throw new Error(`a write: ${reply.status} ${reply.text}`);
      await pause(PAUSE_MS);
    }
    return undefined;
  }

  async #read(): Promise<void> {
    const seen = new Map<number, number>();
    for (let own = ''; !this.#isOver;) {
      const writer = this.#anyWriter();
      const { n, token } = this.#latest[writer] ?? { n: 0, token: '' };
      const asked = newest([own, token]);
      const atLeast = Math.max(n, seen.get(writer) ?? 0);
      const reply = await this.#readPair(writer, atLeast, asked);
      if (reply === undefined) continue;
      if (seqOf(reply.token) < seqOf(asked)) this.#report('behind', [asked, reply.token]);
      seen.set(writer, reply.n);
      own = reply.token;
    }
  }

  async #readPlainly(): Promise<void> {
    while (!this.#isOver) await this.#readPair(this.#anyWriter(), 0, '');
  }

  /** A name of its own for each query: no late request of another node concerns it. */
  async #save(saver: number): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const path = `/v1/queries/${saver}-${n}`;
      if (!(await this.#saved(path))) return;
      for (const node of this.#nodes) {
        const reply = await this.#ask(node, path, { method: 'GET', attempt: 1 });
        if (reply?.status === 200) this.namesFound++;
        else if (reply !== undefined && reply.status !== 503)
          this.#report('unknown', [path, reply.status, reply.text]);
      }
      await this.#ask(this.#any(), path, { method: 'DELETE', attempt: 1 });
    }
  }

  /** False if the load ends before. */
  async #saved(path: string): Promise<boolean> {
    for (let attempt = 0; !this.#isOver; attempt++) {
      const body = { text: 'FIND host' };
      const reply = await this.#ask(this.#any(), path, { method: 'PUT', body, attempt });
      if (reply?.status === 200) return true;
      if (reply !== undefined && reply.status !== 503)
        throw new Error(`a saved query: ${reply.status} ${reply.text}`);
      await pause(SAVER_PAUSE_MS);
    }
    return false;
  }

  #anyWriter(): number {
    return Math.floor(this.#random() * this.#latest.length);
  }

  /** Undefined, after a pause, without an answer. */
  async #readPair(writer: number, atLeast: number, asked: string): Promise<Numbered | undefined> {
    const node = this.#any();
    const reply = await this.#query(node, `FIND host WITH writer = ${writer}`, asked);
    if (reply === undefined) {
      await pause(PAUSE_MS);
      return undefined;
    }
    this.#of(node).reads++;
    const n = this.#numberOf(reply.found, [writer, atLeast, asked, reply.token]);
    if (this.#restMs > 0) await pause(this.#restMs);
    return { n, token: reply.token };
  }

  /** Number of a pair; 0 before its first write. */
  #numberOf(pair: readonly Found[], [writer, atLeast, ...tokens]: [number, number, string, string]): number {
    const numbers = pair.map(({ properties }) => Number(properties['n']));
    const [left = 0, right = 0] = numbers;
    if (numbers.length === 1 || left !== right) this.#report('torn', [writer, numbers, ...tokens]);
    if (left < atLeast) this.#report('behind', [writer, left, atLeast, ...tokens]);
    return left;
  }

  #report(kind: Violation['kind'], details: readonly unknown[]): void {
    this.violations.push({ kind, text: `${kind}: ${JSON.stringify(details)} in round ${this.round}` });
  }

  async #query(
    node: LoadedNode,
    pql: string,
    token: string,
  ): Promise<{ readonly token: string; readonly found: readonly Found[] } | undefined> {
    const reply = await this.#ask(node, '/v1/query', { body: { pql }, token, attempt: 1 });
    if (reply === undefined || reply.status === 503) return undefined;
    if (reply.status !== 200) throw new Error(`a query: ${reply.status} ${reply.text} to ${token}`);
    const lines = reply.text.trimEnd().split('\n');
    const found = lines.map((line) => JSON.parse(line) as Partial<Found>);
    return {
      token: reply.token,
      found: found.flatMap(({ key, properties }) =>
        key === undefined || properties === undefined ? [] : [{ key, properties }],
      ),
    };
  }

  async #ask(
    { url }: LoadedNode,
    path: string,
    { method = 'POST', body, token = '', attempt }: Asked,
  ): Promise<{ readonly status: number; readonly token: string; readonly text: string } | undefined> {
    try {
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          Accept: 'application/x-ndjson',
          ...(token !== '' && { 'Plexus-Seq': token }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.#patienceMs[attempt % this.#patienceMs.length] ?? 0),
      });
      const text = await reply.text();
      if (reply.status === 503) this.refused++;
      // A frozen node did not read the request: on a fresh connection it counts the time of the freeze
      // against the client.
      if (reply.status === 408) throw new Error(text);
      return { status: reply.status, token: reply.headers.get('Plexus-Seq') ?? '', text };
    } catch {
      this.unanswered++;
      return undefined;
    }
  }
}

function seqOf(token: string): number {
  return Number(token.split('.')[1] ?? 0);
}

/** The later of two tokens of one history. */
function newest(tokens: readonly string[]): string {
  return tokens.reduce((best, token) => (seqOf(token) > seqOf(best) ? token : best), '');
}
