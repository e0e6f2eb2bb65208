import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { type Certificate, makeCertificate } from './certificate.ts';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { settled, TurnedTimers } from './turned-timers.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
/** The beginning of a ClientHello. */
const BEGUN = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';
const QUIET_TURNS = 10;
const TLS = { cert_file: 'cert.pem', key_file: 'key.pem' };
const WEB = { name: 'web', address: '127.0.0.1:0', tls: TLS, header_timeout: '9s', access_log: true };
const DB = { name: 'db', address: '127.0.0.1:0', tls: TLS, protocol: 'tcp', cluster: 'api' };

describe('a TLS handshake that is not completed', () => {
  let certificate: Certificate;
  let timers: TurnedTimers;
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;

  const configOf = (listeners: readonly object[]): object => ({
    listeners,
    clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
    routes: [{ prefix: '/', cluster: 'api' }],
    drain: { grace: '5s', timeout: '30s' },
  });

  beforeAll(() => {
    certificate = makeCertificate('proxy.example');
  });

  beforeEach(async () => {
    timers = new TurnedTimers();
    upstream = await ScriptedUpstream.start(answering(OK));
    bed = await ProxyBed.start(configOf([WEB, DB]), {
      timers,
      files: { 'cert.pem': certificate.cert, 'key.pem': certificate.key },
    });
  });

  afterEach(async () => {
    await bed.stop();
    await upstream.stop();
  });

  /** A connection that the listener has accepted. */
  async function accepted(port: number): Promise<RawClient> {
    const { downstreamCxTotal } = await bed.proxy.snapshot();
    const client = await RawClient.to(port);
    await bed.until((snapshot) => snapshot.downstreamCxTotal > downstreamCxTotal);
    return client;
  }

  /** Resolves when the address is free. A listener is closed after a turn without a new connection. */
  async function untilClosed(port: number): Promise<void> {
    for (;;) {
      for (let turn = 0; turn < QUIET_TURNS; turn++) await settled();
      const client = await RawClient.to(port).catch(() => undefined);
      client?.socket.destroy();
      if (client === undefined) return;
    }
  }

  it.each([
    ['web', '', 9_000],
    ['web', BEGUN, 9_000],
    ['db', '', 10_000],
    ['db', BEGUN, 10_000],
  ])('on the listener %s, after %j, is closed at its time-out, and counted', async (name, sent, timeMs) => {
    const client = await accepted(await bed.port(name));
    client.send(sent);
    await timers.turn(timeMs - 1);
    await settled();
    expect((await bed.listener(name)).tlsErrors).toBe(0);

    await timers.turn(1);
    await client.ended();

    const { listeners } = await bed.atRest();
    client.socket.destroy();
    expect(listeners.map(({ tlsErrors }) => tlsErrors)).toEqual(name === 'web' ? [1, 0] : [0, 1]);
    const logged = { event: 'cx.refused', listener: 'web', reason: 'tls', code: 'ETIMEDOUT' };
    expect(bed.logged).toEqual(name === 'web' ? [expect.objectContaining(logged)] : []);
  });

  it.each(['web', 'db'])(
    'on the listener %s, is closed soon after the grace period of a drain',
    async (name) => {
      const port = await bed.port(name);
      const [silent, begun] = [await accepted(port), await accepted(port)];
      begun.send(BEGUN);

      const draining = bed.proxy.drain();
      await timers.turn(5_000);
      await untilClosed(port);
      expect([silent.hasEnded, begun.hasEnded]).toEqual([false, false]);
      await timers.turn(1_000);

      expect(await draining).toEqual({ cutConnections: 0, cutRequests: 0 });
      for (const client of [silent, begun]) client.socket.destroy();
    },
  );

  it('is closed soon after the grace period of a removed listener', async () => {
    const client = await accepted(await bed.port('web'));
    bed.write(configOf([DB]));
    await bed.proxy.reload();

    await timers.turn(5_000);
    for (let turn = 0; turn < QUIET_TURNS; turn++) await settled();
    await timers.turn(1_000);
    await client.ended();

    client.socket.destroy();
    const { drain } = await bed.atRest();
    expect(drain).toEqual({ cutConnections: 0, cutRequests: 0 });
  });

  it('and completes within a second after the grace period, is served', async () => {
    const port = await bed.port('web');
    const { socket } = await accepted(port);
    const draining = bed.proxy.drain();
    await timers.turn(5_000);
    await untilClosed(port);
    await timers.turn(999);

    const secure = connectTls({ socket, servername: 'proxy.example', ca: certificate.cert });
    await once(secure, 'secureConnect');
    const client = new RawClient(secure);
    client.send(GET);
    await client.ended();

    expect(client.received).toMatch(/Connection: close\r\n\r\nok$/);
    socket.destroy();
    expect(await draining).toEqual({ cutConnections: 0, cutRequests: 0 });
  });
});
