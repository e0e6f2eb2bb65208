import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { answering, ScriptedUpstream } from './upstreams.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('EmbeddedProxy', () => {
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;
  let port: number;

  beforeEach(async () => {
    upstream = await ScriptedUpstream.start(answering(OK));
    bed = await ProxyBed.start({
      listeners: [
        { name: 'web', address: '127.0.0.1:0', access_log: true },
        { name: 'db', address: '127.0.0.1:0', protocol: 'tcp', cluster: 'api' },
      ],
      clusters: [
        { name: 'api', endpoints: [{ address: upstream.address }] },
        {
          name: 'ring',
          lb_policy: 'ring_hash',
          endpoints: [{ address: '127.0.0.1:1' }, { address: '127.0.0.1:2' }],
        },
        {
          name: 'users',
          lb_policy: 'ring_hash',
          hash_key: 'header:x-user',
          endpoints: [{ address: '127.0.0.1:1' }, { address: '127.0.0.1:2' }],
        },
      ],
      routes: [
        { host: 'a.example', prefix: '/v1', cluster: 'api' },
        { prefix: '/old', redirect: 'https' },
        { prefix: '/ring', cluster: 'ring' },
        { prefix: '/users', cluster: 'users' },
      ],
      drain: { grace: '0s', timeout: '1s' },
    });
    port = await bed.port('web');
  });

  afterEach(async () => {
    await bed.stop();
    await upstream.stop();
  });

  async function ask(path: string): Promise<string> {
    return RawClient.exchange(port, `GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
  }

  it('explains the route and target of a request', async () => {
    const { listener, route, cluster } = await bed.proxy.explain({ host: 'A.example:80', path: '/v1/x?y' });

    expect(listener).toBe('web');
    expect(route).toMatchObject({ index: 0, takes: true });
    expect(cluster).toMatchObject({ name: 'api', endpoint: upstream.address });
  });

  it('explains a redirect, and a request without a route', async () => {
    expect(await bed.proxy.explain({ host: 'b', path: '/old' })).toMatchObject({ redirect: 'https' });

    const { route, routes } = await bed.proxy.explain({ host: 'b', path: '/v1' });

    expect(route).toBeUndefined();
    expect(routes.map(({ reason }) => reason)).toContain('for another host');
  });

  it.each([
    ['/ring', "the client's address decides"],
    ['/users', "the header x-user, or the client's address without it, decides"],
  ])('does not guess the endpoint of a ring: %s', async (path, reason) => {
    const { cluster } = await bed.proxy.explain({ host: 'b', path });

    expect(cluster?.endpoint).toBeUndefined();
    expect(cluster?.reason).toBe(reason);
  });

  it.each(['none', 'db'])('rejects an explanation on the listener %s', async (listener) => {
    await expect(bed.proxy.explain({ host: 'b', path: '/', listener })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('disables an endpoint, and enables it again', async () => {
    const change = { cluster: 'api', address: upstream.address };
    await bed.proxy.setEndpoint({ ...change, isEnabled: false });
    expect(await ask('/v1')).toMatch(/^HTTP\/1\.1 503 /);
    await bed.proxy.setEndpoint({ ...change, isEnabled: true });

    expect(await ask('/v1')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await bed.proxy.setEndpoint({ ...change, address: 'b:1', isEnabled: true })).toBe(false);
  });

  it('logs requests, without the query', async () => {
    await ask('/v1/x?token=secret');
    await bed.atRest();

    expect(bed.logged).toEqual([
      expect.objectContaining({
        event: 'http.request',
        listener: 'web',
        peer: '127.0.0.1',
        method: 'GET',
        host: 'a.example',
        path: '/v1/x',
        statusCode: 200,
        endpoint: upstream.address,
      }),
    ]);
    expect(JSON.stringify(bed.logged)).not.toContain('secret');
  });

  it('emits its states and reloads until it is unsubscribed', async () => {
    const types: string[] = [];
    const stop = bed.proxy.onEvent(({ type }) => types.push(type));
    await bed.proxy.reload();
    stop();
    await bed.proxy.reload();

    expect(types).toEqual(['config_reload']);
  });

  it('counts bytes of open and closed connections', async () => {
    const answer = await ask('/v1');
    await bed.atRest();

    const { bytesReceived, bytesSent } = await bed.listener('web');

    expect(bytesSent).toBe(answer.length);
    expect(bytesReceived).toBe('GET /v1 HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n'.length);
  });

  it('rejects connections over the limit of the listener, and counts them separately', async () => {
    await bed.stop();
    bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0', max_connections: 1 }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '0s', timeout: '0s' },
    });
    const first = await RawClient.to(await bed.port('web'));
    await bed.until(({ downstreamCxActive }) => downstreamCxActive === 1);

    const second = await RawClient.to(await bed.port('web'));
    await second.ended();

    const { cxTotal, cxRefused } = await bed.listener('web');
    expect([cxTotal, cxRefused]).toEqual([1, 1]);
    first.socket.destroy();
  });
});
