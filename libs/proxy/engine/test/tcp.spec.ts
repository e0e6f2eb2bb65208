import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { freePort } from '#testing';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { TurnedTimers } from './turned-timers.ts';
import { ScriptedUpstream } from './upstreams.ts';

function echo(socket: Socket): void {
  socket.pipe(socket);
}

describe('a TCP listener', () => {
  const upstreams: ScriptedUpstream[] = [];
  let bed: ProxyBed;
  let timers: TurnedTimers;

  afterEach(async () => {
    await bed.atRest();
    await bed.stop();
    await Promise.all(upstreams.splice(0).map((upstream) => upstream.stop()));
  });

  async function upstream(script?: (socket: Socket) => void): Promise<ScriptedUpstream> {
    const started = await ScriptedUpstream.start(script);
    upstreams.push(started);
    return started;
  }

  async function connect(endpoints: readonly string[], cluster: object = {}): Promise<RawClient> {
    timers = new TurnedTimers();
    bed = await ProxyBed.start(
      {
        listeners: [
          { name: 'db', address: '127.0.0.1:0', protocol: 'tcp', cluster: 'db', idle_timeout: '60s' },
        ],
        clusters: [{ name: 'db', endpoints: endpoints.map((address) => ({ address })), ...cluster }],
        drain: { grace: '0s', timeout: '0s' },
      },
      { timers },
    );
    return RawClient.to(await bed.port('db'));
  }

  it('forwards bytes in both directions', async () => {
    const client = await connect([(await upstream(echo)).address]);

    client.send('hello');
    await client.until((received) => received === 'hello');
    client.socket.end();
    await client.closed;

    const { clusters } = await bed.atRest();
    expect(clusters[0]?.endpoints[0]).toMatchObject({ requestsTotal: 1, resets: 0, connectFailures: 0 });
  });

  it('counts a connection as an active request of its endpoint until it is closed', async () => {
    const client = await connect([(await upstream(echo)).address]);
    client.send('hello');
    await client.until((received) => received === 'hello');

    const { clusters, downstreamCxActive } = await bed.proxy.snapshot();

    expect(clusters[0]?.endpoints[0]?.activeRequests).toBe(1);
    expect(clusters[0]?.breaker.max_connections.used).toBe(1);
    expect(downstreamCxActive).toBe(1);
    client.socket.destroy();
  });

  it('forwards data received before the upstream is connected', async () => {
    const client = await connect([(await upstream(echo)).address]);

    client.send('early');
    client.socket.end();
    await client.ended();

    expect(client.received).toBe('early');
  });

  it('keeps a half-closed connection half closed', async () => {
    const server = await upstream();
    const client = await connect([server.address]);

    client.send('question');
    client.socket.end();
    const socket = await server.connections(1);
    await once(socket, 'end');
    socket.write('answer');
    await client.until((received) => received === 'answer');
    socket.end();
    await client.ended();

    expect(client.hasEnded).toBe(true);
  });

  it('forwards a reset to the client', async () => {
    const server = await upstream();
    const client = await connect([server.address]);

    client.send('question');
    const socket = await server.connections(1);
    await server.until((seen) => seen === 'question');
    socket.resetAndDestroy();
    await client.ended();

    expect(client.fault?.code).toBe('ECONNRESET');
  });

  it('forwards a reset to the upstream', async () => {
    const server = await upstream();
    const client = await connect([server.address]);
    client.send('question');
    const socket = await server.connections(1);
    await server.until((seen) => seen === 'question');

    const fault = once(socket, 'error');
    client.socket.resetAndDestroy();

    expect(await fault).toMatchObject([{ code: 'ECONNRESET' }]);
  });

  it('reads no faster than the other side accepts data', async () => {
    const server = await upstream((socket) => socket.pause());
    const client = await connect([server.address]);
    const socket = await server.connections(1);

    const part = 'x'.repeat(65_536);
    let sent = 0;
    const fill = (): void => {
      while (client.socket.writable && client.socket.write(part)) sent += part.length;
    };
    client.socket.on('drain', fill);
    fill();
    let before = -1;
    while (before !== sent) {
      before = sent;
      for (let turn = 0; turn < 200; turn++) await timers.turn(0);
    }
    client.socket.off('drain', fill);

    const held = (await bed.listener('db')).bytesReceived;
    expect(held).toBeLessThan(32 * 2 ** 20);
    socket.resume();
    await server.until((seen) => seen.length >= held);
    client.socket.destroy();
    socket.destroy();
  });

  it('connects to another endpoint when one refuses the connection', async () => {
    const sound = await upstream(echo);
    const client = await connect([`127.0.0.1:${await freePort()}`, sound.address], { retry: {} });

    client.send('hello');
    await client.until((received) => received === 'hello');
    client.socket.destroy();

    const { clusters } = await bed.atRest();
    expect(clusters[0]?.retries.made).toBe(1);
    expect(clusters[0]?.endpoints[0]?.connectFailures).toBe(1);
  });

  it('closes the connection when no endpoint can be reached', async () => {
    const client = await connect([`127.0.0.1:${await freePort()}`], { retry: {} });

    await client.ended();

    const { clusters } = await bed.atRest();
    expect(clusters[0]?.endpoints[0]?.connectFailures).toBe(2);
  });

  it('ejects an endpoint that refuses connections', async () => {
    const [broken, sound] = [`127.0.0.1:${await freePort()}`, await upstream(echo)];
    const outlier = { consecutive_connect_failures: 1, max_ejection_percent: 50 };
    const client = await connect([broken, sound.address], { retry: {}, outlier_detection: outlier });
    client.send('hello');
    await client.until((received) => received === 'hello');

    const { clusters } = await bed.proxy.snapshot();

    expect(clusters[0]?.endpoints.map(({ isEjected }) => isEjected)).toEqual([true, false]);
    client.socket.destroy();
  });

  it('closes a connection over the limit of its cluster', async () => {
    const server = await upstream(echo);
    const first = await connect([server.address], { circuit_breaker: { max_connections: 1 } });
    first.send('hello');
    await first.until((received) => received === 'hello');

    const second = await RawClient.to(await bed.port('db'));
    await second.ended();

    const { clusters, circuitBreakerRejected } = await bed.proxy.snapshot();
    expect(clusters[0]?.breaker.max_connections.rejected).toBe(1);
    expect(circuitBreakerRejected).toBe(1);
    first.socket.destroy();
  });

  it('closes a connection that is silent for its idle time', async () => {
    const client = await connect([(await upstream(echo)).address]);
    client.send('a');
    await client.until((received) => received === 'a');
    await timers.turn(59_000);
    client.send('b');
    await client.until((received) => received === 'ab');
    await timers.turn(59_000);
    expect((await bed.listener('db')).idleTimeouts).toBe(0);

    await timers.turn(1_000);
    await client.ended();

    expect((await bed.listener('db')).idleTimeouts).toBe(1);
  });

  it('gives up an upstream that does not accept the connection in time', async () => {
    const silent = await upstream();
    const client = await connect([silent.address], { tls: {}, connect_timeout: '1s' });
    await silent.until((seen) => seen !== '');

    await timers.turn(1_000);
    await client.ended();

    const { clusters } = await bed.atRest();
    expect(clusters[0]?.endpoints[0]?.connectFailures).toBe(1);
  });

  it('cancels the connection to the upstream when the client disconnects first', async () => {
    const silent = await upstream();
    const client = await connect([silent.address], { tls: {} });
    await silent.until((seen) => seen !== '');

    client.socket.resetAndDestroy();

    const { clusters } = await bed.atRest();
    expect(clusters[0]?.endpoints[0]).toMatchObject({ clientAborts: 1, connectFailures: 0 });
  });
});
