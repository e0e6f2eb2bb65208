import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { freePort } from '#testing';
import type { ProxySnapshot } from '#proxy/engine';
import { systemTimers, type Timers } from '../src/cluster/target/cluster-context.ts';
import { makeCertificate } from './certificate.ts';
import { KeepAliveLoad } from './keep-alive-load.ts';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { HttpUpstream } from './upstreams.ts';

const WORKERS = 2;
/** Enough that the system assigns some to each worker. */
const CLIENTS = 32;
const RELOADS = 10;
const DRAINS = 3;
const ASKED = 32;
const TIMEOUT_MS = 60_000;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

const answeredOf = ({ listeners }: ProxySnapshot): number => listeners[0]?.requestsByClass['2xx'] ?? 0;

describe('a proxy with two workers', () => {
  let one: HttpUpstream;
  let two: HttpUpstream;
  let checks: number;
  let bed: ProxyBed | undefined;

  beforeEach(async () => {
    checks = 0;
    one = await HttpUpstream.start((request, response) => {
      if (request.url === '/healthz') checks += 1;
      response.end('hello');
    });
    two = await HttpUpstream.start((_, response) => response.writeHead(500).end('hello'));
  });

  afterEach(async () => {
    await bed?.stop();
    bed = undefined;
    await one.stop();
    await two.stop();
  });

  async function start(
    changes: Config = {},
    files: Readonly<Record<string, string>> = {},
  ): Promise<ProxyBed> {
    bed = await ProxyBed.start(config(changes), { workers: WORKERS, files });
    return bed;
  }

  interface Config {
    readonly listener?: object;
    readonly cluster?: object;
    readonly drain?: object;
    readonly route?: object;
  }

  function config({ listener, cluster, drain, route }: Config = {}): object {
    return {
      workers: WORKERS,
      listeners: [{ name: 'web', address: '127.0.0.1:0', access_log: true, ...listener }],
      clusters: [{ name: 'api', endpoints: [{ address: one.address }], ...cluster }],
      routes: [{ prefix: '/', cluster: 'api', ...route }],
      drain: { grace: '200ms', timeout: '5s', ...drain },
    };
  }

  /** The statuses of many requests, each on a new connection. */
  async function ask(port: number): Promise<Set<number>> {
    const asked = Array.from({ length: ASKED }, () => RawClient.exchange(port, GET));
    const answers = await Promise.all(asked);
    return new Set(answers.map((answer) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])));
  }

  it(
    'adds up the counts of the workers',
    async () => {
      const running = await start();
      const load = new KeepAliveLoad(await running.port('web'), CLIENTS, 'hello');
      const busy = await running.until(({ workers = [] }) => workers.every(({ cxActive }) => cxActive > 0));
      await load.answers(200);
      await load.stop();

      const snapshot = await running.atRest();

      const [endpoint] = snapshot.clusters[0]?.endpoints ?? [];
      expect(busy.state).toBe('LIVE');
      expect(snapshot.workers).toHaveLength(WORKERS);
      expect([snapshot.downstreamCxTotal, answeredOf(snapshot)]).toEqual([load.connections, load.answered]);
      expect(endpoint).toMatchObject({
        requestsTotal: load.answered,
        requestsByClass: { '2xx': load.answered },
        durations: { count: load.answered },
      });
      expect(endpoint?.durations?.p99Ms).toBeGreaterThan(0);
      expect(snapshot.clusters[0]?.breaker.max_requests).toMatchObject({ used: 0, limit: 1_024 });
      await running.stop();
      const lines = running.logged.filter((line) => 'event' in line && line.event === 'http.request');
      expect(lines).toHaveLength(load.answered);
    },
    TIMEOUT_MS,
  );

  it(
    `loses no request in ${RELOADS} reloads under load, and counts each one`,
    async () => {
      const running = await start();
      const load = new KeepAliveLoad(await running.port('web'), CLIENTS, 'hello');
      const variants = [
        config(),
        config({ listener: { idle_timeout: '7s' } }),
        config({ cluster: { lb_policy: 'random' } }),
      ];

      let before = 0;
      for (let count = 1; count <= RELOADS; count++) {
        running.write(variants[count % variants.length]);
        expect(await running.proxy.reload()).toEqual({ result: 'applied', faults: [] });
        await load.answers(20);
        const answered = answeredOf(await running.proxy.snapshot());
        expect(answered).toBeGreaterThanOrEqual(before);
        before = answered;
      }
      await load.stop();

      const snapshot = await running.atRest();
      expect([load.lost, load.refused, Array.from(load.byStatus.keys())]).toEqual([0, 0, [200]]);
      expect([snapshot.downstreamCxTotal, answeredOf(snapshot)]).toEqual([load.connections, load.answered]);
    },
    TIMEOUT_MS,
  );

  it(
    `loses no request in ${DRAINS} drains under load, and ends all processes`,
    async () => {
      for (let drain = 1; drain <= DRAINS; drain++) {
        const running = await start();
        let isReady = true;
        running.proxy.onEvent((event) => {
          if (event.type === 'server_state') isReady = event.state === 'LIVE';
        });
        const load = new KeepAliveLoad(await running.port('web'), 8, 'hello', () => isReady);
        await load.answers(50);
        const { workers = [] } = await running.proxy.snapshot();

        const cut = await running.proxy.drain();
        await load.ended();

        const snapshot = await running.proxy.snapshot();
        expect([cut, load.lost]).toEqual([{ cutConnections: 0, cutRequests: 0 }, 0]);
        expect([snapshot.downstreamCxTotal, answeredOf(snapshot)]).toEqual([load.connections, load.answered]);
        expect(workers.filter(({ pid }) => isRunning(pid))).toEqual([]);
        await running.stop();
      }
    },
    TIMEOUT_MS,
  );

  it('survives a killed worker, restarts it, and decreases no counter', async () => {
    const running = await start();
    const port = await running.port('web');
    await ask(port);
    const { workers = [] } = await running.proxy.snapshot();
    process.kill(workers[0]?.pid ?? 0, 'SIGKILL');
    const down = await running.until(({ workers = [] }) => workers[0]?.exits === 1);

    const meanwhile = await ask(port);
    const after = await running.until(({ state }) => state === 'LIVE');
    await ask(port);
    const { downstreamCxTotal } = await running.atRest();

    expect([down.downstreamCxTotal, answeredOf(down)]).toEqual([ASKED, ASKED]);
    expect(meanwhile).toEqual(new Set([200]));
    expect([after.downstreamCxTotal, downstreamCxTotal]).toEqual([2 * ASKED, 3 * ASKED]);
    expect(running.events).toContainEqual(
      expect.objectContaining({ type: 'worker_state', worker: 1, isServing: false, reason: 'SIGKILL' }),
    );
  });

  it(
    'drains a worker that is being restarted',
    async () => {
      const held: ServerResponse[] = [];
      const slow = await HttpUpstream.start((_, response) => held.push(response));
      const endpoints = [{ address: slow.address }];
      const [begun, restarted] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const timers: Timers = {
        nowMs: () => systemTimers.nowMs(),
        monotonicMs: () => systemTimers.monotonicMs(),
        after: (ms, run) =>
          systemTimers.after(ms, () => {
            run();
            // The first restart of a worker is not delayed.
            if (ms === 0) begun.resolve(undefined);
          }),
      };
      const drain = { grace: '0s', timeout: '1h' };
      const changed = config({ cluster: { endpoints }, drain, route: { timeout: '0s' } });
      const running = await ProxyBed.start(changed, { workers: WORKERS, timers });
      bed = running;
      const port = await running.port('web');
      const { workers = [] } = await running.proxy.snapshot();
      const asked = Array.from({ length: ASKED }, () => RawClient.exchange(port, GET));
      while (held.length < ASKED) await nextTurn();
      running.proxy.onEvent((event) => {
        if (event.type === 'worker_state' && event.isServing) restarted.resolve(undefined);
      });
      process.kill(workers[0]?.pid ?? 0, 'SIGKILL');
      await begun.promise;

      const draining = running.proxy.drain();
      await restarted.promise;
      while (await isListening(port)) await nextTurn();
      for (const response of held) response.end('hello');
      const [cut, answers] = await Promise.all([draining, Promise.all(asked)]);

      expect(cut).toEqual({ cutConnections: 0, cutRequests: 0 });
      expect(answers.some((answer) => answer.endsWith('hello'))).toBe(true);
      await slow.stop();
    },
    TIMEOUT_MS,
  );

  it(
    'kills a worker that does not answer to a drain',
    async () => {
      const running = await start({ drain: { grace: '0s', timeout: '0s' } });
      const { workers = [] } = await running.proxy.snapshot();
      process.kill(workers[0]?.pid ?? 0, 'SIGSTOP');

      await running.proxy.drain();

      const reason = 'no answer to drain';
      expect(running.events).toContainEqual(
        expect.objectContaining({ type: 'worker_state', worker: 1, isServing: false, reason }),
      );
      expect(workers.filter(({ pid }) => isRunning(pid))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('is not ready while a worker does not answer, and shows its last report', async () => {
    const running = await start();
    const port = await running.port('web');
    await ask(port);
    const { workers = [] } = await running.proxy.snapshot();
    process.kill(workers[0]?.pid ?? 0, 'SIGSTOP');

    const stuck = await running.until(({ state }) => state !== 'LIVE');
    process.kill(workers[0]?.pid ?? 0, 'SIGCONT');
    const after = await running.until(({ state }) => state === 'LIVE');

    expect([stuck.state, stuck.downstreamCxTotal, answeredOf(stuck)]).toEqual(['INITIALIZING', ASKED, ASKED]);
    expect(after.workers?.map(({ exits }) => exits)).toEqual([0, 0]);
  });

  it.each<[string, string, (running: ProxyBed) => Promise<unknown>, unknown]>([
    ['a reload', 'prepare', (running) => running.proxy.reload(), { result: 'applied', faults: [] }],
    [
      'a switched endpoint',
      'follow',
      ({ proxy }) => proxy.setEndpoint({ cluster: 'api', address: one.address, isEnabled: false }),
      true,
    ],
  ])(
    'replaces a worker that does not answer to %s, which the others apply',
    async (_, method, change, result) => {
      const running = await start();
      const port = await running.port('web');
      const { workers = [] } = await running.proxy.snapshot();
      const [stuck, other] = workers;
      running.write(config({ cluster: { endpoints: [{ address: two.address }] } }));
      process.kill(stuck?.pid ?? 0, 'SIGSTOP');

      const changed = await change(running);
      const isEnded = !isRunning(stuck?.pid);
      const after = await running.until(({ state }) => state === 'LIVE');
      const statuses = await ask(port);

      expect([changed, isEnded]).toEqual([result, true]);
      expect(after.workers?.map(({ exits }) => exits)).toEqual([1, 0]);
      expect(after.workers?.[1]?.pid).toBe(other?.pid);
      expect(running.events).toContainEqual(
        expect.objectContaining({
          type: 'worker_state',
          worker: 1,
          isServing: false,
          reason: expect.stringMatching(`^no answer to (${method}|report) within 10 s$`),
        }),
      );
      expect(statuses).toEqual(new Set([method === 'prepare' ? 500 : 503]));
    },
    TIMEOUT_MS,
  );

  it('restarts a worker with the current configuration and switched endpoints', async () => {
    const running = await start({ cluster: { endpoints: [{ address: two.address }] } });
    const port = await running.port('web');
    const { address } = two;
    running.write(config({ cluster: { endpoints: [{ address: one.address }, { address }] } }));
    await running.proxy.reload();
    await running.proxy.setEndpoint({ cluster: 'api', address, isEnabled: false });
    running.write('listeners: [');
    const { workers = [] } = await running.proxy.snapshot();
    for (const { pid = 0 } of workers) process.kill(pid, 'SIGKILL');
    await running.until(({ workers = [] }) => workers.every(({ exits }) => exits === 1));
    await running.until(({ state }) => state === 'LIVE');

    expect(await ask(port)).toEqual(new Set([200]));
  });

  it('checks the health of an endpoint once', async () => {
    const running = await start({ cluster: { health_check: { interval: '1h' } } });

    const snapshot = await running.proxy.snapshot();

    expect(checks).toBe(1);
    expect(snapshot.clusters[0]?.endpoints[0]).toMatchObject({ healthy: true, checksPassed: 1 });
  });

  it('disables an endpoint in all workers, and enables it again', async () => {
    const [address, other] = [two.address, one.address];
    const running = await start({ cluster: { endpoints: [{ address: other }, { address }] } });
    const port = await running.port('web');
    const both = await ask(port);

    const isThere = await running.proxy.setEndpoint({ cluster: 'api', address, isEnabled: false });
    const without = await ask(port);
    await running.proxy.setEndpoint({ cluster: 'api', address, isEnabled: true });
    const again = await ask(port);

    expect(isThere).toBe(true);
    expect([both, without, again]).toEqual([new Set([200, 500]), new Set([200]), new Set([200, 500])]);
  });

  it('ejects an endpoint once, from all workers', async () => {
    const endpoints = [{ address: one.address }, { address: two.address }];
    const running = await start({ cluster: { endpoints, outlier_detection: { consecutive_5xx: 2 } } });
    const port = await running.port('web');
    while (!running.events.some(({ type }) => type === 'endpoint_ejected')) await ask(port);
    // A snapshot is answered after earlier notifications were processed.
    await running.proxy.snapshot();

    const after = await ask(port);
    const snapshot = await running.atRest();

    expect(after).toEqual(new Set([200]));
    expect(snapshot.clusters[0]?.endpoints[1]).toMatchObject({
      isEjected: true,
      ejections: 1,
      healthy: false,
    });
    expect(running.events.filter(({ type }) => type === 'endpoint_ejected')).toHaveLength(1);
  });

  it('divides limits, and counts each rejected request', async () => {
    const held: ServerResponse[] = [];
    const slow = await HttpUpstream.start((_, response) => held.push(response));
    const running = await start({
      cluster: { endpoints: [{ address: slow.address }], circuit_breaker: { max_requests: WORKERS } },
    });
    const port = await running.port('web');
    const asked = Array.from({ length: ASKED }, () => RawClient.exchange(port, GET));
    const busy = await running.until(
      ({ circuitBreakerRejected }) => circuitBreakerRejected === ASKED - WORKERS && held.length === WORKERS,
    );
    for (const response of held) response.end();

    const answers = await Promise.all(asked);
    const { clusters } = await running.atRest();

    const refused = answers.filter((answer) =>
      /^x-plexus-overloaded: max_requests .* limit=1\r$/im.test(answer),
    );
    expect(refused).toHaveLength(ASKED - WORKERS);
    expect(busy.clusters[0]?.breaker.max_requests).toMatchObject({ used: WORKERS, limit: WORKERS });
    expect(clusters[0]?.breaker.max_requests).toMatchObject({ used: 0, rejected: ASKED - WORKERS });
    const told = running.events.flatMap((event) => (event.type === 'breaker_tripped' ? [event.limit] : []));
    expect(told).toEqual(['max_requests']);
    await slow.stop();
  });

  it('resumes a TLS session on any worker', async () => {
    const { cert, key } = makeCertificate('localhost');
    const tls = { cert_file: 'cert.pem', key_file: 'key.pem' };
    const running = await start({ listener: { tls } }, { 'cert.pem': cert, 'key.pem': key });
    const port = await running.port('web');
    const connected = async (session?: Buffer): Promise<TLSSocket> => {
      const socket = connectTls({ port, ca: cert, servername: 'localhost', ...(session && { session }) });
      await once(socket, 'secureConnect');
      return socket;
    };
    const first = await connected();
    first.write(GET.replace('Host: a', 'Host: localhost'));
    const [session] = (await once(first, 'session')) as [Buffer];
    first.destroy();

    const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => connected(session)));
    const reused = sockets.map((socket) => socket.isSessionReused());
    const { workers = [] } = await running.until(({ downstreamCxActive }) => downstreamCxActive >= CLIENTS);
    for (const socket of sockets) socket.destroy();

    expect(reused).toEqual(reused.map(() => true));
    expect(workers.every(({ cxActive }) => cxActive > 0)).toBe(true);
  });

  it('rejects an address in use by another proxy with workers', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const running = await start({ listener: { address } });
    const another = new ProxyBed(config({ listener: { address } }), { workers: WORKERS });

    await expect(another.proxy.start()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      faults: [expect.stringMatching(/:\d+:\d+: listener web: cannot listen on .*: EADDRINUSE$/)],
    });

    await another.stop();
    expect(await ask(await running.port('web'))).toEqual(new Set([200]));
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function isListening(port: number): Promise<boolean> {
  const client = await RawClient.to(port).catch(() => undefined);
  client?.socket.destroy();
  return client !== undefined;
}

function isRunning(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}
