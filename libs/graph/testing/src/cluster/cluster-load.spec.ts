import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { pause } from '#platform/foundation';
import { ClusterLoad } from './cluster-load.ts';

const SOME = 20;

/** The value and version of a pair on a node. */
interface Shown {
  readonly numbers: readonly number[];
  readonly seq: number;
}

type Lie = (shown: Shown) => Shown;

/** Answers like a node, with configurable faults. */
class FakeNode {
  readonly #server: Server;
  readonly #written = new Map<number, number>();
  readonly #lie: Lie;
  readonly #status: number;
  forgetsNames = false;
  #seq = 0;

  static async start(lie: Lie, status = 200): Promise<FakeNode> {
    const node = new FakeNode(lie, status);
    await once(node.#server.listen(0, '127.0.0.1'), 'listening');
    return node;
  }

  private constructor(lie: Lie, status: number) {
    this.#lie = lie;
    this.#status = status;
    this.#server = createServer((request, reply) => void this.#answer(request, reply));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      reply.writeHead(request.method === 'GET' && this.forgetsNames ? 404 : 200).end('{}');
      return;
    }
    const body = (await json(request)) as { readonly pql?: string; readonly entities?: readonly Pair[] };
    if (body.pql === undefined) this.#write(body.entities?.[0], reply);
    else this.#show(Number(/writer = (\d+)/.exec(body.pql)?.[1]), reply);
  }

  #write(pair: Pair | undefined, reply: ServerResponse): void {
    this.#written.set(pair?.properties.writer ?? -1, pair?.properties.n ?? -1);
    reply.writeHead(this.#status, { 'Plexus-Seq': `e.${++this.#seq}` }).end('{}');
  }

  #show(writer: number, reply: ServerResponse): void {
    const n = this.#written.get(writer);
    const { numbers, seq } = this.#lie({ numbers: n === undefined ? [] : [n, n], seq: this.#seq });
    const lines = numbers.map((number, at) => JSON.stringify({ key: String(at), properties: { n: number } }));
    reply.writeHead(200, { 'Plexus-Seq': `e.${seq}` }).end(`${lines.join('\n')}\n{}\n`);
  }
}

interface Pair {
  readonly properties: { readonly writer: number; readonly n: number };
}

describe('the load of a cluster', () => {
  let node: FakeNode;
  let load: ClusterLoad;
  let isOver = false;

  afterEach(async () => {
    isOver = true;
    await load.stop();
    node.stop();
  });

  async function begin(lie: Lie, status?: number): Promise<void> {
    node = await FakeNode.start(lie, status);
    load = new ClusterLoad([node], Math.random);
    isOver = false;
    load.start(2, 2, { plainReaders: 1, restMs: 1, savers: 1 });
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (isOver) throw new Error('the test was ended');
      await pause(1);
    }
  }

  it('reports no violation for a node that shows every acknowledged write', async () => {
    await begin((shown) => shown);
    await until(() => load.writes >= SOME && load.reads >= SOME && load.namesFound >= SOME);

    expect(load.violations).toEqual([]);
    expect(load.answeredBy(node)).toEqual({ writes: load.writes, reads: load.reads });
  });

  it.each<[string, string, Lie]>([
    ['torn', 'of two writes', ({ numbers: [n = 0], seq }) => ({ numbers: [n, n + 1], seq })],
    ['torn', 'without its second half', ({ numbers, seq }) => ({ numbers: numbers.slice(0, 1), seq })],
    [
      'behind',
      'that is older than the token',
      ({ numbers, seq }) => ({ numbers: numbers.map(() => 0), seq }),
    ],
    ['behind', 'with an older token', ({ numbers }) => ({ numbers, seq: 0 })],
  ])('tells as %s a pair %s', async (kind, _, lie) => {
    await begin(lie);
    await until(() => load.violations.some((violation) => violation.kind === kind));

    expect(new Set(load.violations.map((violation) => violation.kind))).toEqual(new Set([kind]));
  });

  it('reports a saved query that a node does not know after another one has acknowledged it', async () => {
    await begin((shown) => shown);
    node.forgetsNames = true;
    await until(() => load.violations.length > 0);

    expect(new Set(load.violations.map(({ kind }) => kind))).toEqual(new Set(['unknown']));
  });

  it('repeats a write that a node did not read, without a violation', async () => {
    await begin((shown) => shown, 408);
    await until(() => load.unanswered >= SOME || load.violations.length > 0);

    expect([load.writes, load.violations]).toEqual([0, []]);
  });

  it('reports an unexpected answer, and counts the answers that request a retry', async () => {
    await begin((shown) => shown, 409);
    await until(() => load.violations.length === 2);
    node.stop();
    const [first] = load.violations;
    await load.stop();
    await begin((shown) => shown, 503);
    await until(() => load.refused >= SOME);

    expect(first).toEqual({ kind: 'unexpected', text: 'Error: a write: 409 {}' });
    expect([load.writes, load.violations]).toEqual([0, []]);
  });
});
