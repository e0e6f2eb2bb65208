import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect as connectPlain } from 'node:net';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { type Certificate, makeCertificate } from './certificate.ts';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { answering, HttpUpstream, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('TLS', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let certificate: Certificate;
  let other: Certificate;
  let bed: ProxyBed;

  beforeAll(() => {
    certificate = makeCertificate('proxy.example');
    other = makeCertificate('proxy.example');
  });

  afterEach(async () => {
    await bed.atRest();
    await bed.stop();
    for (const stop of stops.splice(0)) await stop();
  });

  afterAll(() => {
    expect(stops).toHaveLength(0);
  });

  async function start(listener: object, cluster: object, rest: object = {}): Promise<number> {
    bed = await ProxyBed.start(
      {
        listeners: [{ name: 'in', address: '127.0.0.1:0', ...listener }],
        clusters: [{ name: 'api', ...cluster }],
        drain: { grace: '0s', timeout: '1s' },
        ...rest,
      },
      { files: { 'cert.pem': certificate.cert, 'key.pem': certificate.key, 'ca.pem': certificate.cert } },
    );
    return bed.port('in');
  }

  const ROUTES = { routes: [{ prefix: '/', cluster: 'api' }] };
  const LISTENER_TLS = { tls: { cert_file: 'cert.pem', key_file: 'key.pem' } };

  it.each(['GET', 'HEAD', 'PUT', 'OPTIONS', 'FROB'])(
    'answers 400 with the reason to %s without TLS, on an HTTP listener',
    async (method) => {
      const { address } = await plainUpstream();
      const port = await start(LISTENER_TLS, { endpoints: [{ address }] }, ROUTES);

      const answer = await RawClient.exchange(port, `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);

      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toMatch(/\r\n\r\nbad request: plain HTTP on a port for HTTPS\n$/);
      const { listeners } = await bed.atRest();
      expect(listeners[0]).toMatchObject({ tlsErrors: 1, requestsByClass: { '4xx': 1 } });
    },
  );

  it('answers nothing without TLS on a TCP listener', async () => {
    const { address } = await plainUpstream();
    const port = await start(
      { ...LISTENER_TLS, protocol: 'tcp', cluster: 'api' },
      { endpoints: [{ address }] },
    );

    expect(await RawClient.exchange(port, GET)).toBe('');
  });

  async function plainUpstream(): Promise<ScriptedUpstream> {
    const upstream = await ScriptedUpstream.start(answering(OK));
    stops.push(() => upstream.stop());
    return upstream;
  }

  async function secureUpstream(): Promise<string> {
    const server: Server = createServer({ cert: certificate.cert, key: certificate.key }, answering(OK));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(async () => {
      server.close();
      await once(server, 'close');
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function dial(port: number, options: object = {}): TLSSocket {
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'proxy.example',
      ca: certificate.cert,
      ...options,
    });
    return socket.on('error', () => undefined);
  }

  /** Resolves on any close. */
  const closed = (socket: TLSSocket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const secured = (socket: TLSSocket) =>
    new Promise<void>((resolve) => socket.once('secureConnect', () => resolve()));

  describe('of a listener', () => {
    it('closes a client that reads no response, and keeps running', async () => {
      const body = 'x'.repeat(60_000);
      const upstream = await ScriptedUpstream.start(
        answering(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
      );
      stops.push(() => upstream.stop());
      const port = await start(
        { ...LISTENER_TLS, idle_timeout: '100ms' },
        { endpoints: [{ address: upstream.address }] },
        ROUTES,
      );
      const client = dial(port);
      await once(client, 'secureConnect');
      client.pause();
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(300));
      await bed.until(({ listeners }) => listeners[0]!.requestsByClass['2xx'] > 0);

      await bed.atRest();

      client.destroy();
    });

    it('accepts modern suites only, unless configured otherwise', async () => {
      const upstream = await plainUpstream();
      const port = await start(LISTENER_TLS, { endpoints: [{ address: upstream.address }] }, ROUTES);
      const agreed = async (ciphers: string): Promise<string> => {
        const socket = dial(port, { maxVersion: 'TLSv1.2', ciphers });
        const outcome = await Promise.race([
          secured(socket).then(() => socket.getCipher().name),
          closed(socket).then(() => 'refused'),
        ]);
        socket.destroy();
        return outcome;
      };

      expect(await agreed('ECDHE-ECDSA-AES128-SHA')).toBe('refused');
      expect(await agreed('ECDHE-ECDSA-AES128-SHA256')).toBe('refused');
      expect(await agreed('ECDHE-ECDSA-AES128-GCM-SHA256')).toBe('ECDHE-ECDSA-AES128-GCM-SHA256');
    });

    it('rejects TLS versions below min_version', async () => {
      const upstream = await plainUpstream();
      const tls = { ...LISTENER_TLS.tls, min_version: '1.3' };
      const port = await start({ tls }, { endpoints: [{ address: upstream.address }] }, ROUTES);

      const old = dial(port, { maxVersion: 'TLSv1.2' });
      await closed(old);
      const client = dial(port);
      await once(client, 'secureConnect');

      expect(client.getProtocol()).toBe('TLSv1.3');
      client.destroy();
      await bed.until(({ listeners }) => listeners[0]?.tlsErrors === 1);
    });

    it('is terminated by the proxy, and the upstream is informed', async () => {
      const upstream = await plainUpstream();
      const port = await start(LISTENER_TLS, { endpoints: [{ address: upstream.address }] }, ROUTES);

      const client = new RawClient(dial(port));
      client.send(GET);
      await client.ended();
      client.socket.destroy();

      expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(upstream.seen).toContain('X-Forwarded-Proto: https\r\n');
      expect((await bed.atRest()).listeners[0]).toMatchObject({ cxTotal: 1, tlsErrors: 0 });
    });

    it('negotiates HTTP/1.1 with clients that support more', async () => {
      const upstream = await plainUpstream();
      const port = await start(LISTENER_TLS, { endpoints: [{ address: upstream.address }] }, ROUTES);

      const socket = dial(port, { ALPNProtocols: ['h2', 'http/1.1'] });
      await once(socket, 'secureConnect');

      expect(socket.alpnProtocol).toBe('http/1.1');
      socket.destroy();
    });

    it('does not end cleanly when a response is cut', async () => {
      const upstream = await ScriptedUpstream.start(answering('HTTP/1.1 200 OK\r\n\r\nhalf'));
      stops.push(() => upstream.stop());
      const port = await start(LISTENER_TLS, { endpoints: [{ address: upstream.address }] }, ROUTES);
      const client = new RawClient(dial(port));
      client.send('GET / HTTP/1.0\r\n\r\n');
      await client.until((received) => received.endsWith('half'));

      upstream.sockets[0]?.resetAndDestroy();
      await client.closed;

      expect(client.hasEnded).toBe(false);
    });

    it('rejects clients without TLS, and counts them', async () => {
      const upstream = await plainUpstream();
      const port = await start(LISTENER_TLS, { endpoints: [{ address: upstream.address }] }, ROUTES);

      const socket = connectPlain({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      socket.write(GET);
      socket.resume();
      await once(socket, 'close');

      const { listeners, downstreamCxTotal } = await bed.atRest();
      expect(listeners[0]?.tlsErrors).toBe(1);
      expect(downstreamCxTotal).toBe(1);
    });

    it('reloads its certificate, and keeps open connections', async () => {
      const upstream = await plainUpstream();
      const port = await start(LISTENER_TLS, { endpoints: [{ address: upstream.address }] }, ROUTES);
      const before = dial(port);
      await once(before, 'secureConnect');

      bed.writeFile('cert.pem', other.cert);
      bed.writeFile('key.pem', other.key);
      const { result } = await bed.proxy.reload();
      const after = dial(port, { ca: other.cert });
      await once(after, 'secureConnect');

      expect(result).toBe('applied');
      expect(after.authorized).toBe(true);
      const client = new RawClient(before);
      client.send(GET);
      await client.ended();
      expect(client.received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      before.destroy();
      after.destroy();
    });

    it('cuts an upstream that sends after its client has left', async () => {
      const upstream = await ScriptedUpstream.start((socket) => {
        socket.once('data', () => socket.write('hello'));
        const speakOn = (): void => {
          if (socket.writable) socket.write('and', () => setImmediate(speakOn));
        };
        socket.once('end', speakOn);
      });
      stops.push(() => upstream.stop());
      const port = await start(
        { ...LISTENER_TLS, protocol: 'tcp', cluster: 'api', idle_timeout: '0s' },
        { endpoints: [{ address: upstream.address }] },
      );
      const client = new RawClient(dial(port));
      client.send('hello');
      await client.until((received) => received.startsWith('hello'));
      client.socket.end();
      await client.closed;

      const { clusters } = await bed.atRest();

      expect(clusters[0]?.endpoints[0]?.activeRequests).toBe(0);
    });

    it('carries TCP', async () => {
      const upstream = await ScriptedUpstream.start((socket) => socket.pipe(socket));
      stops.push(() => upstream.stop());
      const port = await start(
        { ...LISTENER_TLS, protocol: 'tcp', cluster: 'api' },
        { endpoints: [{ address: upstream.address }] },
      );

      const client = new RawClient(dial(port));
      client.send('hello');
      await client.until((received) => received === 'hello');
      client.socket.end();
      await client.closed;

      await bed.atRest();
    });
  });

  describe('to an upstream', () => {
    const tls = { ca_file: 'ca.pem', sni: 'proxy.example' };

    it('is verified by the configured authority and name', async () => {
      const address = await secureUpstream();
      const port = await start({}, { endpoints: [{ address }], tls }, ROUTES);

      expect(await RawClient.exchange(port, GET)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    });

    it.each<[string, object]>([
      ['another authority', { sni: 'proxy.example' }],
      ['another name', { ca_file: 'ca.pem', sni: 'other.example' }],
    ])('with %s is rejected: 502', async (_, wrong) => {
      const address = await secureUpstream();
      const port = await start({}, { endpoints: [{ address }], tls: wrong }, ROUTES);

      expect(await RawClient.exchange(port, GET)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
      const { clusters } = await bed.atRest();
      expect(clusters[0]?.endpoints[0]?.connectFailures).toBe(1);
    });

    it('is not verified when the configuration disables it', async () => {
      const address = await secureUpstream();
      const port = await start({}, { endpoints: [{ address }], tls: { verify: false } }, ROUTES);

      expect(await RawClient.exchange(port, GET)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    });

    it('to a server without TLS: 502', async () => {
      const upstream = await HttpUpstream.start((_, response) => response.end());
      stops.push(() => upstream.stop());
      const port = await start({}, { endpoints: [{ address: upstream.address }], tls }, ROUTES);

      expect(await RawClient.exchange(port, GET)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    });

    it('carries TCP', async () => {
      const address = await secureUpstream();
      const port = await start({ protocol: 'tcp', cluster: 'api' }, { endpoints: [{ address }], tls });
      const client = await RawClient.to(port);

      client.send(GET);
      await client.until((received) => received === OK);
      client.socket.end();
      await client.closed;

      await bed.atRest();
    });

    it('is closed when the client of a TCP connection disconnects', async () => {
      const address = await secureUpstream();
      const port = await start({ protocol: 'tcp', cluster: 'api' }, { endpoints: [{ address }], tls });
      const client = await RawClient.to(port);
      client.send(GET);
      await client.until((received) => received === OK);

      client.socket.resetAndDestroy();

      const { clusters } = await bed.atRest();
      expect(clusters[0]?.endpoints[0]?.connectionsActive).toBe(0);
    });
  });

  it('on both sides forwards a large body completely', async () => {
    const address = await secureUpstream();
    const port = await start(
      LISTENER_TLS,
      { endpoints: [{ address }], tls: { ca_file: 'ca.pem', sni: 'proxy.example' } },
      ROUTES,
    );

    const request = httpsRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      servername: 'proxy.example',
      ca: certificate.cert,
      agent: false,
    });
    request.end('x'.repeat(1_000_000));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');

    expect(response.statusCode).toBe(200);
  });
});
