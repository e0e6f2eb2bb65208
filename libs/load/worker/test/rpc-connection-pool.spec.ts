import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { ThreadTimes } from '#platform/disk';
import { Story } from '#testing';
import { RpcConnectionPool } from '../src/rpc/rpc-connection-pool.ts';
import { ProcessorShare } from '../src/rpc/processor-share.ts';
import type { Sendable } from '../src/rpc/rpc-connection.ts';
import type { RpcReply } from '../src/rpc/rpc-reply.ts';
import { failure, result, ScriptedRpc } from './support/scripted-rpc.ts';

/** The time-out for requests with an answer, and for those without on a busy machine. */
const [PATIENT_MS, SILENT_MS] = [60_000, 3_000];
/** Interval between the parts of an answer that never ends. */
const TRICKLE_MS = 3_000;

interface Reported {
  readonly what: 'start' | 'late start' | 'reply';
  readonly id: number;
  readonly reply?: RpcReply;
}

const job = (id: number): Sendable => ({
  id,
  body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: ['0x'] })),
});

/** A thread that has a processor whenever it wants one, and one that hardly has. */
const busy = (): ThreadTimes => ({ ranMs: performance.now(), waitedMs: 0 });
const starved = (): ThreadTimes => ({ ranMs: performance.now() / 100, waitedMs: performance.now() / 2 });

describe('RpcConnectionPool', () => {
  let server: ScriptedRpc;
  let connections: RpcConnectionPool<Sendable>;
  let story: Story<Reported>;
  let held: { readonly id: number; readonly reply: ServerResponse }[];

  beforeEach(async () => {
    held = [];
    story = new Story();
    server = await ScriptedRpc.start(({ id }, reply) => reply.end(result(id, `0x${id}`)));
    connections = open(2);
  });
  afterEach(async () => {
    await connections.close();
    await server.stop();
  });

  const open = (
    connections: number,
    urls = [server.url],
    timeoutMs = PATIENT_MS,
    read: () => ThreadTimes = busy,
  ): RpcConnectionPool<Sendable> => {
    const processor = new ProcessorShare(timeoutMs, read);
    const pool = new RpcConnectionPool<Sendable>({ urls, connections, timeoutMs, processor });
    pool.listen({
      onStart: ({ id }) => story.record({ what: 'start', id }),
      onReply: ({ id }, reply) => story.record({ what: 'reply', id, reply }),
    });
    return pool;
  };
  const replyTo = (id: number): Promise<Reported> =>
    story.until((told) => told.what === 'reply' && told.id === id);
  const failureOf = async (id: number): Promise<string> => {
    const { reply } = await replyTo(id);
    return reply?.isFine === false ? reply.failure : 'none';
  };

  it('reports the start before the reply, and returns the result', async () => {
    connections.send(job(7));

    const { reply } = await replyTo(7);

    expect(reply).toEqual({ isFine: true, result: '0x7' });
    expect(story.entries.map(({ what }) => what)).toEqual(['start', 'reply']);
  });

  it('ends an exchange in time, although the server keeps sending, and uses the connection again', async () => {
    await connections.close();
    connections = open(1, [server.url], TRICKLE_MS);
    const trickles: NodeJS.Timeout[] = [];
    server.script = (_request, reply) => {
      trickles.push(setInterval(() => reply.write(' '), 20));
    };

    connections.send(job(1));

    expect(await failureOf(1)).toBe('rpc_timeout');
    for (const one of trickles) clearInterval(one);
    server.script = ({ id }, reply) => reply.end(result(id, '0x2'));
    connections.send(job(2));
    expect((await replyTo(2)).reply).toEqual({ isFine: true, result: '0x2' });
  });

  it('has at most one request in flight per connection', async () => {
    server.script = ({ id }, reply) => held.push({ id, reply });
    connections.send(job(1));
    connections.send(job(2));
    const whileBothAreOut = connections.hasRoom;
    await story.until(({ what }) => what === 'start', 2);
    server.script = ({ id }, reply) => reply.end(result(id, 'late'));
    for (const { id, reply } of held) reply.end(result(id, 'held'));

    await replyTo(1);
    await replyTo(2);

    expect(whileBothAreOut).toBe(false);
    expect(connections.hasRoom).toBe(true);
  });

  it('reuses a connection, also from within a reply', async () => {
    for (let id = 1; id <= 20; id++) {
      connections.send(job(id));
      await replyTo(id);
    }

    expect(server.connectionCount).toBe(1);
  });

  it('sends from within a reply before the event loop turns', async () => {
    await connections.close();
    let isTurned = false;
    connections = new RpcConnectionPool({ urls: [server.url], connections: 2, timeoutMs: PATIENT_MS });
    connections.listen({
      onStart: ({ id }) => story.record({ what: isTurned ? 'late start' : 'start', id }),
      onReply: ({ id }, reply) => {
        story.record({ what: 'reply', id, reply });
        if (id >= 5) return;
        isTurned = false;
        setImmediate(() => {
          isTurned = true;
        });
        connections.send(job(id + 1));
      },
    });

    connections.send(job(1));
    await replyTo(5);

    expect(story.entries.map(({ what }) => what)).not.toContain('late start');
    expect(server.connectionCount).toBe(1);
  });

  it('reuses a connection from within the report of a failed connect', async () => {
    await server.stop();
    const refused: RpcReply[] = [];
    const alone = new RpcConnectionPool<Sendable>({
      urls: [server.url],
      connections: 1,
      timeoutMs: PATIENT_MS,
    });
    alone.listen({
      onStart: () => undefined,
      onReply: ({ id }, reply) => {
        refused.push(reply);
        story.record({ what: 'reply', id, reply });
        if (id < 5) alone.send(job(id + 1));
      },
    });

    alone.send(job(1));
    await replyTo(5);
    await alone.close();

    expect(refused.map((reply) => reply.isFine)).toEqual([false, false, false, false, false]);
  });

  it('continues after each kind of failure', async () => {
    await connections.close();
    connections = open(2, [server.url], SILENT_MS);
    server.script = (_, reply) => reply.socket?.resetAndDestroy();
    connections.send(job(1));
    const reset = await failureOf(1);
    server.script = () => undefined;
    connections.send(job(2));
    const hang = await failureOf(2);
    server.script = (_, reply) => reply.end('x'.repeat(2_000_000));
    connections.send(job(3));
    const flood = await failureOf(3);
    server.script = ({ id }, reply) => reply.end(result(id, 'fine'));
    connections.send(job(4));
    const fine = await failureOf(4);

    expect([reset, hang, flood, fine]).toEqual(['rpc_transport', 'rpc_timeout', 'rpc_garbage', 'none']);
  });

  it('tells a time-out on a machine without processors for its edge from one of the target', async () => {
    await connections.close();
    connections = open(2, [server.url], SILENT_MS, starved);
    server.script = () => undefined;
    connections.send(job(1));
    const hang = await failureOf(1);
    server.script = (_, reply) => reply.socket?.resetAndDestroy();
    connections.send(job(2));
    const reset = await failureOf(2);
    server.script = ({ id }, reply) => held.push({ id, reply });
    connections.send(job(3));
    await story.until(({ what, id }) => what === 'start' && id === 3);
    await connections.close();

    expect([hang, reset, await failureOf(3)]).toEqual(['edge_starved', 'rpc_transport', 'rpc_timeout']);
  });

  it('reports that nothing was sent after a refused connection', async () => {
    await server.stop();
    connections.send(job(1));

    expect(await failureOf(1)).toBe('rpc_unreachable');
    expect(story.entries.map(({ what }) => what)).toEqual(['reply']);
    server = await ScriptedRpc.start(() => undefined);
  });

  it('uses several servers in turn', async () => {
    const other = await ScriptedRpc.start(({ id }, reply) => reply.end(result(id, 'other')));
    await connections.close();
    connections = open(4, [server.url, other.url]);
    for (let id = 1; id <= 4; id++) connections.send(job(id));

    await story.until(({ what }) => what === 'reply', 4);

    expect([server.connectionCount, other.connectionCount]).toEqual([2, 2]);
    await other.stop();
  });

  it('tries each other server once if the first cannot be connected', async () => {
    const gone = await ScriptedRpc.start(() => undefined);
    await gone.stop();
    await connections.close();
    connections = open(8, [gone.url, server.url]);
    for (let id = 1; id <= 4; id++) connections.send(job(id));

    await story.until(({ what }) => what === 'reply', 4);

    const replies = story.entries.filter(({ what }) => what === 'reply');
    expect(replies.map(({ reply }) => reply?.isFine)).toEqual([true, true, true, true]);
    expect(story.entries.filter(({ what }) => what === 'start')).toHaveLength(4);
  });

  it('reports a failure if no server can be connected', async () => {
    const others = await Promise.all([
      ScriptedRpc.start(() => undefined),
      ScriptedRpc.start(() => undefined),
    ]);
    await Promise.all(others.map((other) => other.stop()));
    await connections.close();
    connections = open(
      8,
      others.map(({ url }) => url),
    );
    connections.send(job(1));

    expect(await failureOf(1)).toBe('rpc_unreachable');
    expect(story.entries).toHaveLength(1);
  });

  it('does not send a rejected request to another server', async () => {
    let asked = 0;
    const other = await ScriptedRpc.start(({ id }, reply) => {
      asked++;
      reply.end(result(id, '0x'));
    });
    server.script = ({ id }, reply) => reply.end(failure(id, -32_000, 'nonce too low'));
    await connections.close();
    connections = open(8, [server.url, other.url]);
    connections.send(job(1));

    expect(await failureOf(1)).toBe('nonce_too_low');
    expect(asked).toBe(0);
    await other.stop();
  });

  it('connects ahead, and keeps the connections', async () => {
    await connections.warmUp(2);
    const before = server.connectionCount;
    connections.send(job(1));
    connections.send(job(2));
    await story.until(({ what }) => what === 'reply', 2);

    expect([before, server.connectionCount]).toEqual([2, 2]);
  });

  it('fails unanswered requests on close', async () => {
    server.script = ({ id }, reply) => held.push({ id, reply });
    connections.send(job(1));
    await story.until(({ what }) => what === 'start');

    await connections.close();

    expect(await failureOf(1)).toBe('rpc_timeout');
  });
});
