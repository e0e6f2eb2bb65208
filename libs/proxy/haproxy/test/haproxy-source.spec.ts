import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { NodeDisk } from '#platform/disk';
import { pause, systemClock } from '#platform/foundation';
import { createLogger } from '#platform/observability';
import type { ProxyEvent, ProxySnapshot } from '#proxy/engine';
import { HaproxyServer, isHaproxyInstalled } from '#proxy/testing';
import { describeUnless, freePort } from '#testing';
import { HaproxySource } from '../src/haproxy-source.ts';

const LOG = createLogger({ format: 'json', level: 'silent' });
const TIMEOUT_MS = 600_000;
const LOOK_MS = 5;

/** A clock that advances with each reading. */
class LeapingClock {
  #aheadMs = 0;

  leap(): void {
    this.#aheadMs += 10_000;
  }

  nowMs(): number {
    return systemClock.nowMs();
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#aheadMs;
  }
}

const describeWithHaproxy = describeUnless(
  isHaproxyInstalled ? undefined : 'haproxy is not installed; Debian: apt-get install haproxy',
);

describeWithHaproxy('HaproxySource over a real HAProxy', () => {
  let upstream: Server;
  let upstreamPort: number;
  let webPort: number;
  let tcpPort: number;
  let haproxy: HaproxyServer;
  let clock: LeapingClock;
  let source: HaproxySource;
  let events: ProxyEvent[];
  let clients: Socket[];
  let held: (() => void)[];
  let over: AbortController;

  beforeEach(async () => {
    over = new AbortController();
    held = [];
    upstream = createServer((request, response) => {
      if (request.url === '/slow') held.push(() => response.end('slow'));
      else response.end('fine');
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    upstreamPort = (upstream.address() as AddressInfo).port;
    [webPort, tcpPort] = [await freePort(), await freePort()];
    haproxy = await HaproxyServer.start(sections());
    clock = new LeapingClock();
    clients = [];
    await attach(haproxy.configFile);
  }, TIMEOUT_MS);

  afterEach(async () => {
    over.abort();
    source.close();
    for (const client of clients) client.destroy();
    await haproxy.stop();
    upstream.closeAllConnections();
    upstream.close();
  }, TIMEOUT_MS);

  const sections = (): string => `
frontend web
  bind 127.0.0.1:${webPort}
  acl is_static path_beg /static
  use_backend static if is_static
  default_backend api
frontend raw
  bind 127.0.0.1:${tcpPort}
  mode tcp
  default_backend raw
backend api
  option httpchk GET /health
  server up 127.0.0.1:${upstreamPort} check inter 100ms
  server down 127.0.0.1:1 check inter 100ms rise 1 fall 1
backend static
  server only 127.0.0.1:${upstreamPort}
  server twin 127.0.0.1:${upstreamPort} backup
backend raw
  mode tcp
  server d1 127.0.0.1:${upstreamPort}
`;

  async function attach(
    config: string | undefined,
    drain = { graceMs: 0, timeoutMs: 30_000 },
  ): Promise<void> {
    source = new HaproxySource({
      socket: haproxy.socket,
      config,
      drain,
      disk: new NodeDisk(),
      log: LOG,
      clock,
    });
    events = [];
    source.onEvent((event) => events.push(event));
    await source.start();
  }

  /** Polls until the condition is true. */
  async function seen(isSo: (snapshot: ProxySnapshot) => boolean): Promise<ProxySnapshot> {
    const { signal } = over;
    for (;;) {
      // A closed source returns at once: without a pause no other work could run.
      await pause(LOOK_MS);
      signal.throwIfAborted();
      clock.leap();
      const snapshot = await source.snapshot();
      if (isSo(snapshot)) return snapshot;
    }
  }

  async function open(port: number): Promise<Socket> {
    const client = connect(port, '127.0.0.1');
    clients.push(client);
    await once(client, 'connect');
    return client;
  }

  async function get(path: string): Promise<void> {
    const client = await open(webPort);
    client.write(`GET ${path} HTTP/1.0\r\n\r\n`);
    client.resume();
    await once(client, 'close');
  }

  const endpoint = ({ clusters }: ProxySnapshot, cluster: string, index: number) =>
    clusters.find(({ name }) => name === cluster)?.endpoints[index];

  it(
    'omits values that HAProxy does not report, instead of 0',
    async () => {
      await get('/');

      const snapshot = await seen(({ downstreamCxTotal }) => downstreamCxTotal > 0);

      const { listeners, clusters } = snapshot;
      expect(listeners[0]).toMatchObject({
        unrouted: undefined,
        tlsErrors: undefined,
        headerTimeouts: undefined,
      });
      expect(clusters[0]).toMatchObject({
        breaker: { max_requests: { used: undefined, limit: undefined, rejected: undefined } },
        retries: { made: 0, limit: undefined, overBudget: undefined },
        noHealthyEndpoint: undefined,
        upstreamFailures: undefined,
      });
      expect(endpoint(snapshot, 'api', 0)).toMatchObject({
        isEjected: undefined,
        ejections: undefined,
        timeouts: undefined,
        checksPassed: undefined,
        connectionsTotal: undefined,
        connectionsReused: 0,
      });
      expect(snapshot).toMatchObject({ circuitBreakerRejected: 0, breakerRejections: [] });
    },
    TIMEOUT_MS,
  );

  it(
    'shows frontends, backends and servers as listeners, clusters and endpoints',
    async () => {
      const snapshot = await seen((now) => endpoint(now, 'api', 1)?.healthy === false);

      const address = `127.0.0.1:${upstreamPort}`;
      expect(snapshot.state).toBe('LIVE');
      expect(snapshot.routeCount).toBe(3);
      expect(snapshot.listeners.map(({ name, protocol }) => [name, protocol])).toEqual([
        ['web', 'http'],
        ['raw', 'tcp'],
      ]);
      expect(
        snapshot.clusters.map(({ name, endpoints }) => [
          name,
          endpoints.map((own) => [own.address, own.healthy]),
        ]),
      ).toEqual([
        [
          'api',
          [
            [address, true],
            ['127.0.0.1:1', false],
          ],
        ],
        [
          'static',
          [
            [address, true],
            [address, true],
          ],
        ],
        ['raw', [[address, true]]],
      ]);
      expect(endpoint(snapshot, 'api', 1)?.lastCheck).toMatchObject({
        result: 'failed',
        reason: expect.stringContaining('L4CON'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'counts each frontend as a route without a configuration',
    async () => {
      source.close();
      await attach(undefined);

      const { routeCount } = await source.snapshot();

      expect(routeCount).toBe(2);
    },
    TIMEOUT_MS,
  );

  it(
    'counts connections and requests, open and total',
    async () => {
      for (let i = 0; i < 3; i++) await get('/static');
      const kept = [await open(webPort), await open(tcpPort)];

      const busy = await seen((now) => now.downstreamCxActive === 2);
      for (const client of kept) client.destroy();
      const idle = await seen((now) => now.downstreamCxActive === 0);

      expect(busy.downstreamCxTotal).toBe(5);
      expect(idle.downstreamCxTotal).toBe(5);
      expect(idle.listeners.map(({ cxTotal }) => cxTotal)).toEqual([4, 1]);
      expect(idle.listeners[0]?.requestsByClass['2xx']).toBe(3);
    },
    TIMEOUT_MS,
  );

  it(
    'counts unanswered requests as active',
    async () => {
      const client = await open(webPort);
      client.write('GET /static HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(client, 'data');
      client.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');

      const busy = await seen((now) => endpoint(now, 'api', 0)?.activeRequests === 1);

      expect(endpoint(busy, 'static', 0)?.requestsByClass['2xx']).toBe(1);
      held.forEach((answer) => answer());
    },
    TIMEOUT_MS,
  );

  it(
    'never decreases a counter over reloads, a crash and a restart',
    async () => {
      const totals: number[] = [];
      const note = async () => {
        await get('/static');
        totals.push((await seen(({ state }) => state === 'LIVE')).downstreamCxTotal);
      };

      await note();
      await haproxy.reload();
      await note();
      await haproxy.reload();
      await note();
      await haproxy.kill();
      const lost = await seen(({ state }) => state === 'INITIALIZING');
      await haproxy.begin();
      await note();

      expect(totals).toEqual([1, 2, 3, 4]);
      expect(lost.downstreamCxTotal).toBe(3);
      expect(lost.downstreamCxActive).toBe(0);
      expect((await source.snapshot()).configReloads.applied).toBe(3);
    },
    TIMEOUT_MS,
  );

  it(
    'keeps its clusters, all unhealthy, while HAProxy is gone, and reconnects',
    async () => {
      await haproxy.kill();
      const lost = await seen(({ state }) => state !== 'LIVE');
      await haproxy.begin();
      await seen(({ state }) => state === 'LIVE');

      expect(lost.state).toBe('INITIALIZING');
      expect(lost.clusters.flatMap(({ endpoints }) => endpoints.map(({ healthy }) => healthy))).toEqual(
        Array(5).fill(false),
      );
      expect(
        events.filter(({ type }) => type === 'server_state').map((event) => 'state' in event && event.state),
      ).toEqual(['INITIALIZING', 'LIVE', 'INITIALIZING', 'LIVE']);
    },
    TIMEOUT_MS,
  );

  it(
    'reports that an endpoint came up or went down, and why',
    async () => {
      await seen(
        (now) => endpoint(now, 'api', 0)?.healthy === true && endpoint(now, 'api', 1)?.healthy === false,
      );
      upstream.closeAllConnections();
      upstream.close();
      await seen((now) => endpoint(now, 'api', 0)?.healthy === false);

      const last = events.filter(({ type }) => type === 'endpoint_health').at(-1);
      expect(last).toMatchObject({
        cluster: 'api',
        address: `127.0.0.1:${upstreamPort}`,
        healthy: false,
        reason: expect.stringContaining('L4CON'),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'disables and enables the servers at an address',
    async () => {
      const change = { cluster: 'static', address: `127.0.0.1:${upstreamPort}` };

      const isDisabled = await source.setEndpoint({ ...change, isEnabled: false });
      const disabled = await source.snapshot();
      const isEnabled = await source.setEndpoint({ ...change, isEnabled: true });
      const enabled = await source.snapshot();

      const states = (snapshot: ProxySnapshot) =>
        [0, 1].map((index) => {
          const own = endpoint(snapshot, 'static', index);
          return [own?.healthy, own?.isDisabled];
        });
      expect([isDisabled, isEnabled]).toEqual([true, true]);
      expect(states(disabled)).toEqual([
        [false, true],
        [false, true],
      ]);
      expect(states(enabled)).toEqual([
        [true, false],
        [true, false],
      ]);
      expect(endpoint(disabled, 'api', 0)?.isDisabled).toBe(false);
    },
    TIMEOUT_MS,
  );

  it.each([
    ['static', '127.0.0.1:2'],
    ['nope', '127.0.0.1:1'],
    ['api;quit', 'x'],
  ])('reports that endpoint %s %s does not exist', async (cluster, address) => {
    const isThere = await source.setEndpoint({ cluster, address, isEnabled: false });

    expect(isThere).toBe(false);
  });

  it(
    'rereads its routes',
    async () => {
      const same = await source.reload();
      await haproxy.configure(sections().replace('use_backend static if is_static', ''));
      const other = await source.reload();
      const { routeCount, configReloads } = await source.snapshot();

      expect([same.result, other.result, routeCount]).toEqual(['unchanged', 'applied', 2]);
      expect(configReloads).toEqual({ applied: 1, rejected: 0, unchanged: 1 });
    },
    TIMEOUT_MS,
  );

  it(
    'lets open requests complete during a drain',
    async () => {
      const client = await open(webPort);
      client.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      await seen((now) => endpoint(now, 'api', 0)?.activeRequests === 1);

      const drained = source.drain();
      const state = (await source.snapshot()).state;
      held.forEach((answer) => answer());
      const [answer] = (await once(client, 'data')) as [Buffer];
      const result = await drained;

      expect(state).toBe('DRAINING');
      expect(answer.toString()).toContain('200 OK');
      expect(result).toEqual({ cutConnections: 0, cutRequests: 0 });
      expect(endpoint(await source.snapshot(), 'static', 0)?.healthy).toBe(false);
    },
    TIMEOUT_MS,
  );

  it(
    'cuts and counts the requests left at the end of a drain',
    async () => {
      source.close();
      await attach(haproxy.configFile, { graceMs: 0, timeoutMs: 0 });
      const client = await open(webPort);
      client.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
      await seen((now) => endpoint(now, 'api', 0)?.activeRequests === 1);
      const raw = await open(tcpPort);
      raw.resume();
      await seen((now) => endpoint(now, 'raw', 0)?.activeRequests === 1);
      const cut = [once(client, 'data'), once(raw, 'close')];

      const result = await source.drain();
      await Promise.all(cut);

      expect(result).toEqual({ cutConnections: 2, cutRequests: 1 });
      expect((await source.snapshot()).drain).toEqual(result);
    },
    TIMEOUT_MS,
  );
});
