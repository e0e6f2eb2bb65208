import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { standStill } from '#testing';
import { makeCertificate } from '../../../test/certificate.ts';
import { healthCheck } from '../../../test/cluster-world.ts';
import type { ClusterTls, HealthCheckConfig } from '../../config/proxy-config.ts';
import type { ProbeResult } from '../target/target.ts';
import { systemProbe } from './system-probe.ts';

const servers: Server[] = [];
const NEVER = new AbortController().signal;

async function listen(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  const all = servers.splice(0);
  await Promise.all(all.map((server) => new Promise((resolve) => server.close(resolve))));
});

interface Look {
  readonly check?: Partial<HealthCheckConfig>;
  readonly host?: string;
  readonly tls?: ClusterTls;
  readonly signal?: AbortSignal;
}

function probe(
  port: number,
  { check, host = '127.0.0.1', tls, signal = NEVER }: Look = {},
): Promise<ProbeResult> {
  const endpoint = { host, port, text: `${host}:${port}` };
  return systemProbe({ check: healthCheck(check), ip: '127.0.0.1', endpoint, tls }, signal);
}

/** A server that handles every connection with `serve`. It closes when all clients have. */
function rawServer(serve: (socket: Socket) => void): Server {
  return createServer((socket) => {
    serve(socket);
    socket
      .on('error', () => undefined)
      .on('end', () => socket.end())
      .resume();
  });
}

describe('HTTP check', () => {
  it('requests the path from the endpoint, on a connection that it closes', async () => {
    const seen: IncomingMessage[] = [];
    const closed: Promise<unknown>[] = [];
    const server = createHttpServer((request, answer) => {
      seen.push(request);
      answer.end('ok');
    }).on('connection', (socket: Socket) => closed.push(once(socket, 'close')));
    const port = await listen(server);

    const result = await probe(port, { host: 'api.internal', check: { path: '/ready?full=1' } });
    await Promise.all(closed);

    expect(result).toEqual({ isPassed: true, reason: 'status 200' });
    expect(seen.map(({ method, url }) => [method, url])).toEqual([['GET', '/ready?full=1']]);
    expect(seen[0]?.headers).toMatchObject({ host: `api.internal:${port}`, connection: 'close' });
    expect(closed).toHaveLength(1);
  });

  it.each([
    [204, ['200-299'], true],
    [301, ['200-299'], false],
    [301, ['200-299', '301'], true],
    [500, ['200-299'], false],
  ])('judges a %d where %j is expected', async (status, ranges, isPassed) => {
    const answer = (_: IncomingMessage, reply: ServerResponse): void => void reply.writeHead(status).end();
    const port = await listen(createHttpServer(answer));
    const expected = ranges.map((range) => {
      const [from, to = from] = range.split('-').map(Number);
      return { from: from!, to: to! };
    });

    const result = await probe(port, { check: { expected } });

    expect(result).toEqual({
      isPassed,
      reason: isPassed ? `status ${status}` : `status ${status} is not expected`,
    });
  });

  it('does not wait for an endless body', async () => {
    const answer = (_: IncomingMessage, reply: ServerResponse): void => void reply.writeHead(200).write('x');
    const port = await listen(createHttpServer(answer));

    expect(await probe(port)).toMatchObject({ isPassed: true });
  });

  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['nonsense', (socket) => void socket.end('SSH-2.0-OpenSSH\r\n'), /^failed with HPE_/],
    ['an end without an answer', (socket) => void socket.end(), /^failed with ECONNRESET$/],
    ['half a head', (socket) => void socket.end('HTTP/1.1 200 OK\r\nA: '), /^failed with /],
    [
      'an endless head',
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(99_999)}`),
      /^failed with /,
    ],
  ])('fails on %s', async (_, serve, reason) => {
    const port = await listen(rawServer(serve));

    const result = await probe(port);

    expect(result.isPassed).toBe(false);
    expect(result.reason).toMatch(reason);
  });

  it('fails on a refused connection, and on a missing response', async () => {
    const silent = await listen(rawServer(() => undefined));
    const free = await listen(createServer());
    await new Promise((resolve) => servers.pop()?.close(resolve));

    expect(await probe(free)).toEqual({ isPassed: false, reason: 'failed with ECONNREFUSED' });
    expect(await probe(silent, { check: { timeoutMs: 20 } })).toEqual({
      isPassed: false,
      reason: 'no answer within 20 ms',
    });
  });

  it('fails when Node rejects the request', async () => {
    const port = await listen(createHttpServer());

    expect(await probe(port, { check: { path: '/a b' } })).toEqual({
      isPassed: false,
      reason: 'failed with ERR_UNESCAPED_CHARACTERS',
    });
  });

  it('ends when it is cancelled', async () => {
    const silent = await listen(rawServer(() => undefined));
    const stopping = new AbortController();

    const looking = probe(silent, { check: { timeoutMs: 600_000 }, signal: stopping.signal });
    stopping.abort();

    expect(await looking).toMatchObject({ isPassed: false });
    expect(await probe(silent, { signal: stopping.signal })).toMatchObject({ isPassed: false });
  });
});

describe('HTTP check of an endpoint that floods', () => {
  it.each(['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'])(
    'with %j fails, long before its time-out',
    async (interim) => {
      const server = rawServer((socket) => {
        const flood = (): void => {
          while (socket.writable && socket.write(interim.repeat(100)));
        };
        socket.once('data', flood);
        socket.on('drain', flood);
      });
      const port = await listen(server);

      const result = await probe(port, { check: { timeoutMs: 600_000 } });

      expect(result).toEqual({ isPassed: false, reason: 'too many interim answers' });
    },
  );
});

describe('TCP check', () => {
  it('connects, and sends nothing', async () => {
    let received = 0;
    const ended: Promise<unknown>[] = [];
    const server = rawServer((socket) => {
      socket.on('data', (bytes) => (received += bytes.length));
      ended.push(once(socket, 'close'));
    });
    const port = await listen(server);

    const result = await probe(port, { check: { type: 'tcp' } });

    expect(result).toEqual({ isPassed: true, reason: 'connected' });
    await Promise.all(ended);
    expect([ended.length, received]).toEqual([1, 0]);
  });

  it('does not take its own standstill for silence of the endpoint', async () => {
    const port = await listen(rawServer(() => undefined));

    const result = probe(port, { check: { type: 'tcp', timeoutMs: 50 } });
    standStill(200);

    expect(await result).toEqual({ isPassed: true, reason: 'connected' });
  });

  it('fails on a refused connection', async () => {
    const free = await listen(createServer());
    await new Promise((resolve) => servers.pop()?.close(resolve));

    expect(await probe(free, { check: { type: 'tcp' } })).toMatchObject({ isPassed: false });
  });
});

describe('TLS check', () => {
  const { cert, key } = makeCertificate('api.internal');
  const caFile = { path: 'ca.pem', text: cert };
  const TLS: ClusterTls = {
    caFile: undefined,
    sni: undefined,
    verify: true,
    minVersion: 'TLSv1.2',
    ciphers: DEFAULT_CIPHERS,
  };

  it.each(['http', 'tcp'] as const)(
    'verifies the name of the endpoint, or the configured one (%s)',
    async (type) => {
      const port = await listen(createTlsServer({ cert, key }, (_, answer) => void answer.end()));
      const look = (host: string, tls: Partial<ClusterTls>): Promise<ProbeResult> =>
        probe(port, { host, check: { type }, tls: { ...TLS, caFile, ...tls } });

      expect(await look('api.internal', {})).toMatchObject({ isPassed: true });
      expect(await look('api.internal.', {})).toMatchObject({ isPassed: true });
      expect(await look('127.0.0.1', { sni: 'api.internal' })).toMatchObject({ isPassed: true });
      expect(await look('127.0.0.1', {})).toMatchObject({
        reason: 'failed with ERR_TLS_CERT_ALTNAME_INVALID',
      });
      expect(await look('other.internal', {})).toMatchObject({
        reason: 'failed with ERR_TLS_CERT_ALTNAME_INVALID',
      });
      expect(await look('api.internal', { caFile: undefined })).toMatchObject({
        reason: 'failed with DEPTH_ZERO_SELF_SIGNED_CERT',
      });
      expect(await look('127.0.0.1', { caFile: undefined, verify: false })).toMatchObject({ isPassed: true });
    },
  );

  it('fails when the server does not speak TLS', async () => {
    const port = await listen(createHttpServer((_, answer) => void answer.end()));

    const result = await probe(port, { tls: { ...TLS, caFile } });

    expect(result.isPassed).toBe(false);
  });
});
