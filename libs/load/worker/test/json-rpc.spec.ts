import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { FailureClass } from '../src/rpc/failure-class.ts';
import { JsonRpc, readNumber } from '../src/rpc/json-rpc.ts';
import { RpcFailure } from '../src/rpc/rpc-reply.ts';
import { failure, result, type RpcRequest, ScriptedRpc } from './support/scripted-rpc.ts';

/** The time-out for requests with an answer; a short one is used for requests without. */
const [PATIENT_MS, SHORT_MS] = [60_000, 200];

describe('JsonRpc', () => {
  let server: ScriptedRpc;
  let rpc: JsonRpc;

  beforeEach(async () => {
    server = await ScriptedRpc.start(({ id }, reply) => reply.end(result(id, '0x10')));
    rpc = new JsonRpc({ url: server.url, timeoutMs: PATIENT_MS });
  });
  afterEach(async () => {
    await rpc.close();
    await server.stop();
  });

  const failureOf = async (): Promise<RpcFailure> => {
    const outcome = await rpc.call('eth_blockNumber', [], readNumber).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(RpcFailure);
    return outcome as RpcFailure;
  };

  it('returns the result', async () => {
    expect(await rpc.call('eth_blockNumber', [], readNumber)).toBe(16);
  });

  it.each<[string, (reply: ServerResponse, request: RpcRequest) => void, FailureClass]>([
    ['HTML', (reply) => reply.end('<html>busy</html>'), 'rpc_garbage'],
    ['nothing', (reply) => reply.end(), 'rpc_garbage'],
    ['a list', (reply) => reply.end('[]'), 'rpc_garbage'],
    ['the id of another request', (reply, { id }) => reply.end(result(id + 1, '0x1')), 'rpc_garbage'],
    ['neither result nor error', (reply) => reply.end('{"jsonrpc":"2.0","id":1}'), 'rpc_garbage'],
    ['a result of another kind', (reply, { id }) => reply.end(result(id, { a: 1 })), 'rpc_garbage'],
    ['a number that is none', (reply, { id }) => reply.end(result(id, '0xzz')), 'rpc_garbage'],
    ['no HTTP', (reply) => reply.socket?.end('NONSENSE\r\n\r\n'), 'rpc_garbage'],
    ['503', (reply) => reply.writeHead(503).end('<html>'), 'rpc_http_status'],
    ['429', (reply) => reply.writeHead(429).end('slow down'), 'rate_limited'],
    ['a reset', (reply) => reply.socket?.resetAndDestroy(), 'rpc_transport'],
    [
      'half an answer',
      (reply) => reply.writeHead(200, { 'content-length': 50 }).write('{', () => reply.destroy()),
      'rpc_transport',
    ],
    ['an error', (reply, { id }) => reply.end(failure(id, -32_000, 'nonce too low')), 'nonce_too_low'],
    [
      'an error with another status',
      (reply, { id }) => reply.writeHead(500).end(failure(id, -32_601, '')),
      'method_missing',
    ],
    ['an error of no shape', (reply) => reply.end('{"error":{"code":"x","message":7}}'), 'rpc_error'],
  ])('tells %s by its class', async (_, script, expected) => {
    server.script = (request, reply) => script(reply, request);

    expect((await failureOf()).failure).toBe(expected);
  });

  it('reports a missing answer by its class', async () => {
    await rpc.close();
    rpc = new JsonRpc({ url: server.url, timeoutMs: SHORT_MS });
    server.script = () => undefined;

    expect((await failureOf()).failure).toBe('rpc_timeout');
  });

  it('reports a refused connection', async () => {
    await server.stop();

    expect((await failureOf()).failure).toBe('rpc_unreachable');
    server = await ScriptedRpc.start(() => undefined);
  });

  it('shortens a server message to one line', async () => {
    server.script = ({ id }, reply) => reply.end(failure(id, 1, `a\n\u001b[31mb${'c'.repeat(5_000)}\ud800`));

    const { message } = await failureOf();

    expect(message).toMatch(/^eth_blockNumber: rpc_error: a \[31mbc+$/);
    expect(message.length).toBeLessThan(300);
  });

  it('sends user name and password in a header', async () => {
    await rpc.close();
    rpc = new JsonRpc({ url: server.url.replace('//', '//me:s%40fe@'), timeoutMs: PATIENT_MS });

    await rpc.call('eth_blockNumber', [], readNumber);

    expect(server.authorizations).toEqual([`Basic ${Buffer.from('me:s@fe').toString('base64')}`]);
  });

  it('sends the headers of the target, and hides them and the keys in its URL from messages', async () => {
    await rpc.close();
    const url = `${server.url}/v3/0123456789abcdef0123?token=s3cret`;
    rpc = new JsonRpc({ url, timeoutMs: PATIENT_MS, headers: { authorization: 'Bearer h1dden' } });
    server.script = ({ id }, reply) =>
      reply.end(failure(id, -32_000, 'no project 0123456789abcdef0123 for s3cret, Bearer h1dden'));

    const { message } = await failureOf();

    expect(server.authorizations).toEqual(['Bearer h1dden']);
    expect(message).toBe('eth_blockNumber: rpc_error: no project *** for ***, ***');
  });

  it('uses the next server if the first cannot be connected', async () => {
    const gone = await ScriptedRpc.start(() => undefined);
    await gone.stop();
    await rpc.close();
    rpc = new JsonRpc({ url: [gone.url, server.url], timeoutMs: PATIENT_MS });

    const numbers = [await rpc.call('eth_blockNumber', [], readNumber)];
    numbers.push(await rpc.call('eth_blockNumber', [], readNumber));

    expect(numbers).toEqual([16, 16]);
  });

  it.each<[string, (reply: ServerResponse, request: RpcRequest) => void, FailureClass, number]>([
    [
      'a refusal',
      (reply, { id }) => reply.end(failure(id, -32_000, 'nonce too low')),
      'nonce_too_low',
      PATIENT_MS,
    ],
    ['silence', () => undefined, 'rpc_timeout', SHORT_MS],
    ['a reset', (reply) => reply.socket?.resetAndDestroy(), 'rpc_transport', PATIENT_MS],
    ['503', (reply) => reply.writeHead(503).end(), 'rpc_http_status', PATIENT_MS],
  ])('uses no other server after %s', async (_, script, expected, timeoutMs) => {
    let asked = 0;
    const other = await ScriptedRpc.start(({ id }, reply) => {
      asked++;
      reply.end(result(id, '0x10'));
    });
    await rpc.close();
    rpc = new JsonRpc({ url: [server.url, other.url], timeoutMs });
    server.script = (request, reply) => script(reply, request);

    expect((await failureOf()).failure).toBe(expected);

    expect(asked).toBe(0);
    await other.stop();
  });

  it('sends a batch, and keeps the order of results', async () => {
    server.script = (_, reply, all) => {
      reply.end(
        `[${all
          .map(({ id, params }) => result(id, params[0]))
          .toReversed()
          .join(',')}]`,
      );
    };
    const params = Array.from({ length: 450 }, (_, i) => [`0x${i.toString(16)}`]);

    const numbers = await rpc.callMany('eth_getBalance', params, readNumber);

    expect(numbers).toEqual(Array.from({ length: 450 }, (_, i) => i));
  });

  it.each<[string, (reply: ServerResponse) => void]>([
    ['502', (reply) => reply.writeHead(502).end('<html>')],
    ['429 with a time', (reply) => reply.writeHead(429, { 'retry-after': '1' }).end()],
    ['garbage', (reply) => reply.end('<html>')],
    ['a reset', (reply) => reply.socket?.resetAndDestroy()],
    ['a missing state', (reply) => reply.end(failure(1, -32_000, 'missing trie node'))],
  ])('repeats reads after %s', async (_, script) => {
    await rpc.close();
    rpc = new JsonRpc({ url: server.url, timeoutMs: PATIENT_MS, patienceMs: PATIENT_MS });
    let asked = 0;
    server.script = ({ id }, reply, all) => {
      if (asked++ % 2 === 0) script(reply);
      else if (all.length === 1) reply.end(result(id, '0x10'));
      else reply.end(`[${all.map((one) => result(one.id, '0x10')).join(',')}]`);
    };

    expect(await rpc.call('eth_blockNumber', [], readNumber)).toBe(16);
    expect(await rpc.callMany('eth_getBalance', [[1], [2], [3]], readNumber)).toEqual([16, 16, 16]);
  });

  it.each<[string, string, (reply: ServerResponse, request: RpcRequest) => void]>([
    ['a transaction', 'eth_sendRawTransaction', (reply) => reply.writeHead(502).end()],
    ['an unknown method', 'eth_x', (reply, { id }) => reply.end(failure(id, -32_601, 'no such method'))],
    ['a missing page', 'eth_x', (reply) => reply.writeHead(404).end()],
  ])('does not repeat %s', async (_, method, script) => {
    await rpc.close();
    rpc = new JsonRpc({ url: server.url, timeoutMs: PATIENT_MS, patienceMs: PATIENT_MS });
    let asked = 0;
    server.script = (request, reply) => {
      asked++;
      script(reply, request);
    };

    await expect(rpc.call(method, [], readNumber)).rejects.toBeInstanceOf(RpcFailure);

    expect(asked).toBe(1);
  });

  it('gives up a read that fails beyond the time, and one that waits when it is closed', async () => {
    await rpc.close();
    rpc = new JsonRpc({ url: server.url, timeoutMs: PATIENT_MS, patienceMs: SHORT_MS });
    server.script = (_request, reply) => reply.writeHead(503).end();
    const patient = new JsonRpc({ url: server.url, timeoutMs: PATIENT_MS, patienceMs: PATIENT_MS });
    const waiting = expect(patient.call('eth_blockNumber', [], readNumber)).rejects.toBeInstanceOf(
      RpcFailure,
    );

    await expect(rpc.call('eth_blockNumber', [], readNumber)).rejects.toThrow('HTTP status 503');
    await patient.close();

    await waiting;
  });

  it.each<[string, (reply: ServerResponse) => void]>([
    ['an error', (reply) => reply.end('{"error":{"code":-32600,"message":"batch too large"}}')],
    ['413', (reply) => reply.writeHead(413).end()],
    ['an empty page', (reply) => reply.end()],
  ])('splits a batch that is rejected with %s, down to single calls', async (_, refuse) => {
    const sizes: number[] = [];
    server.script = (_request, reply, all) => {
      sizes.push(all.length);
      const [first] = all;
      if (all.length > 1 || first === undefined) refuse(reply);
      else reply.end(result(first.id, first.params[0]));
    };
    const params = Array.from({ length: 30 }, (_, i) => [`0x${i.toString(16)}`]);

    const numbers = await rpc.callMany('eth_getBalance', params, readNumber);
    const more = await rpc.callMany('eth_getBalance', params.slice(0, 2), readNumber);

    expect([...numbers, ...more]).toEqual([...Array.from({ length: 30 }, (_, i) => i), 0, 1]);
    // The size is remembered.
    expect(sizes.slice(-2)).toEqual([1, 1]);
  });

  it('returns a failure in the place of each missing result', async () => {
    server.script = (_, reply, all) => {
      reply.end(
        `[${all.map(({ id }, i) => (i === 1 ? failure(id, -32_000, 'gone') : result(id, '0x1'))).join(',')}]`,
      );
    };

    const results = await rpc.callEach('eth_getBalance', [[1], [2], [3]], readNumber);

    expect(results).toEqual([1, expect.any(RpcFailure), 1]);
  });

  it('ends an exchange in time, although the server keeps sending', async () => {
    await rpc.close();
    rpc = new JsonRpc({ url: server.url, timeoutMs: SHORT_MS });
    const open: NodeJS.Timeout[] = [];
    server.script = (_request, reply) => {
      open.push(setInterval(() => reply.write(' '), 20));
    };

    expect((await failureOf()).failure).toBe('rpc_timeout');

    for (const one of open) clearInterval(one);
  });

  it('rejects a batch with a missing answer', async () => {
    server.script = (_, reply, all) => {
      reply.end(
        `[${all
          .slice(1)
          .map(({ id }) => result(id, '0x1'))
          .join(',')}]`,
      );
    };

    await expect(rpc.callMany('eth_getBalance', [[1], [2]], readNumber)).rejects.toThrow(
      'an answer is missing',
    );
  });
});
