import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeepAliveLoad } from './keep-alive-load.ts';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { TurnedTimers } from './turned-timers.ts';
import { answering, HttpUpstream, ScriptedUpstream } from './upstreams.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const RELOADS = 20;
const TIMEOUT_MS = 30_000;

const namedUpstream = (name: string) => HttpUpstream.start((_, response) => response.end(name));

/** Sends its name to each connection, then echoes. */
const namedEcho = (name: string) =>
  ScriptedUpstream.start((socket) => {
    socket.write(name);
    socket.pipe(socket);
  });

describe('reload of the configuration', () => {
  let one: HttpUpstream;
  let two: HttpUpstream;
  let bed: ProxyBed;

  beforeEach(async () => {
    one = await HttpUpstream.start((_, response) => response.end('hello'));
    two = await HttpUpstream.start((_, response) => response.end('hello'));
  });

  afterEach(async () => {
    await bed.stop();
    await one.stop();
    await two.stop();
  });

  function config(changes: { listeners?: object[]; clusters?: object[]; routes?: object[] } = {}): object {
    return {
      listeners: [{ name: 'web', address: '127.0.0.1:0' }],
      clusters: [{ name: 'api', endpoints: [{ address: one.address }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '200ms', timeout: '2s' },
      ...changes,
    };
  }

  async function ask(port: number): Promise<string> {
    const client = await RawClient.to(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await client.ended();
    client.socket.destroy();
    return client.received;
  }

  it(
    `loses no request in ${RELOADS} reloads under load, whatever they change`,
    async () => {
      bed = await ProxyBed.start(config());
      const port = await bed.port('web');
      const load = new KeepAliveLoad(port, 8, 'hello');
      const both = [{ address: one.address }, { address: two.address }];
      const variants = [
        config({ clusters: [{ name: 'api', endpoints: both }] }),
        config({ listeners: [{ name: 'web', address: '127.0.0.1:0', idle_timeout: '7s' }] }),
        config({ routes: [{ prefix: '/', cluster: 'api', timeout: '3s' }] }),
        config({
          listeners: [
            { name: 'web', address: '127.0.0.1:0' },
            { name: 'new', address: '127.0.0.1:0' },
          ],
        }),
        config({
          clusters: [{ name: 'other', endpoints: [{ address: two.address }] }],
          routes: [{ prefix: '/', cluster: 'other' }],
        }),
      ];

      let totalBefore = 0;
      for (let count = 1; count <= RELOADS; count++) {
        bed.write(variants[count % variants.length]);
        expect(await bed.proxy.reload()).toEqual({ result: 'applied', faults: [] });
        await load.answers(10);
        const { downstreamCxTotal } = await bed.proxy.snapshot();
        expect(downstreamCxTotal).toBeGreaterThanOrEqual(totalBefore);
        totalBefore = downstreamCxTotal;
      }
      await load.stop();

      expect([load.lost, load.refused]).toEqual([0, 0]);
      expect(Array.from(load.byStatus.keys())).toEqual([200]);
      const { downstreamCxTotal, configReloads, listeners } = await bed.atRest();
      expect(downstreamCxTotal).toBe(load.connections);
      expect(configReloads).toEqual({ applied: RELOADS, rejected: 0, unchanged: 0 });
      expect(listeners[0]?.requestsByClass['2xx']).toBe(load.answered);
    },
    TIMEOUT_MS,
  );

  it('reports unchanged without a change', async () => {
    bed = await ProxyBed.start(config());

    expect(await bed.proxy.reload()).toEqual({ result: 'unchanged', faults: [] });

    expect((await bed.proxy.snapshot()).configReloads).toEqual({ applied: 0, rejected: 0, unchanged: 1 });
  });

  it.each<[string, () => unknown]>([
    ['is broken', () => 'listeners: ['],
    ['is half written', () => JSON.stringify(config()).slice(0, 100)],
    ['leads to no cluster', () => config({ routes: [{ prefix: '/', cluster: 'none' }] })],
  ])('changes nothing for a file that %s', async (_, broken) => {
    bed = await ProxyBed.start(config());
    const port = await bed.port('web');

    bed.write(broken());
    const { result, faults } = await bed.proxy.reload();

    expect(result).toBe('rejected');
    expect(faults[0]).toContain(bed.configFile);
    expect(await ask(port)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect((await bed.proxy.snapshot()).configReloads.rejected).toBe(1);
  });

  it.each<[string, object, RegExp]>([
    ['configuration', {}, /^\S+proxy\.yaml: cannot be read: \S+:2: expected UTF-8$/],
    [
      'certificate',
      { tls: { cert_file: 'extra.pem', key_file: 'extra.pem' } },
      /cert_file: expected a file of certificates in PEM, got \S+:2: expected UTF-8$/,
    ],
  ])(
    'changes nothing for a %s that is not UTF-8, also when it is noticed by itself',
    async (what, tls, fault) => {
      const timers = new TurnedTimers();
      bed = await ProxyBed.start(config(), { timers, watchEveryMs: 1_000 });
      const latin = Buffer.from(`# Z\n# Z\xfcrich\n${JSON.stringify(config())}`, 'latin1');

      bed.writeFile(what === 'certificate' ? 'extra.pem' : 'proxy.yaml', latin);
      if (what === 'certificate') {
        bed.write(config({ listeners: [{ name: 'web', address: '127.0.0.1:0', ...tls }] }));
      }
      while (bed.events.every(({ type }) => type !== 'config_reload')) await timers.turn(1_000);

      const { result, faults } = await bed.proxy.reload();
      expect([result, faults]).toEqual(['rejected', expect.arrayContaining([expect.stringMatching(fault)])]);
      expect(await ask(await bed.port('web'))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    },
  );

  it('changes nothing when a port is in use, and releases new ports', async () => {
    bed = await ProxyBed.start(config());
    const port = await bed.port('web');
    const [taken, free] = [one.address, { name: 'free', address: '127.0.0.1:0' }];

    bed.write(
      config({
        listeners: [free, { name: 'taken', address: taken }],
        clusters: [{ name: 'api', endpoints: [{ address: two.address }] }],
      }),
    );
    const { result, faults } = await bed.proxy.reload();

    expect([result, faults]).toEqual([
      'rejected',
      [expect.stringMatching(/:\d+:\d+: listener taken: cannot listen on .*: EADDRINUSE$/)],
    ]);
    expect((await bed.proxy.snapshot()).listeners.map(({ name }) => name)).toEqual(['web']);
    expect(await ask(port)).toMatch(/hello$/);
  });

  it('applies new routes to a remaining listener, on open connections too', async () => {
    const [first, second] = await Promise.all(['first', 'second'].map(namedUpstream));
    const clusters = [
      { name: 'first', endpoints: [{ address: first?.address }] },
      { name: 'second', endpoints: [{ address: second?.address }] },
    ];
    bed = await ProxyBed.start(config({ clusters, routes: [{ prefix: '/', cluster: 'first' }] }));
    const port = await bed.port('web');
    const kept = await RawClient.to(port);
    kept.send(GET);
    await kept.until((received) => received.endsWith('first'));

    bed.write(config({ clusters, routes: [{ prefix: '/', cluster: 'second' }] }));
    expect((await bed.proxy.reload()).result).toBe('applied');
    kept.received = '';
    kept.send(GET);
    await kept.until((received) => /(first|second)$/.test(received));

    expect(await bed.port('web')).toBe(port);
    expect(kept.received).toMatch(/second$/);
    expect(await ask(port)).toMatch(/second$/);
    kept.socket.destroy();
    await Promise.all([first?.stop(), second?.stop()]);
  });

  it('applies new endpoints of the cluster of a remaining listener', async () => {
    const [first, second] = await Promise.all(['first', 'second'].map(namedUpstream));
    const api = (upstream?: HttpUpstream) => ({
      clusters: [{ name: 'api', endpoints: [{ address: upstream?.address }] }],
    });
    bed = await ProxyBed.start(config(api(first)));
    const port = await bed.port('web');
    const before = await ask(port);

    bed.write(config(api(second)));
    await bed.proxy.reload();

    expect([before, await ask(port)]).toEqual([
      expect.stringMatching(/first$/),
      expect.stringMatching(/second$/),
    ]);
    await Promise.all([first?.stop(), second?.stop()]);
  });

  it('switches a TCP listener to its new cluster, then to new endpoints of it', async () => {
    const [first, second] = await Promise.all(['first', 'second'].map(namedEcho));
    const tcp = (cluster: string, ends: readonly (ScriptedUpstream | undefined)[]) =>
      config({
        listeners: [{ name: 'db', address: '127.0.0.1:0', protocol: 'tcp', cluster }],
        clusters: ['one', 'two'].map((name, at) => ({ name, endpoints: [{ address: ends[at]?.address }] })),
        routes: [],
      });
    bed = await ProxyBed.start(tcp('one', [first, second]));
    const port = await bed.port('db');
    const clients = [await RawClient.to(port)];
    const answers = async (): Promise<string> => {
      const client = await RawClient.to(port);
      clients.push(client);
      await client.until((received) => /^(first|second)$/.test(received));
      return client.received;
    };
    await clients[0]?.until((received) => received === 'first');

    const seen: string[] = [];
    for (const changed of [tcp('two', [first, second]), tcp('two', [second, first])]) {
      bed.write(changed);
      expect((await bed.proxy.reload()).result).toBe('applied');
      seen.push(await answers());
    }

    expect(seen).toEqual(['second', 'first']);
    expect([await bed.port('db'), clients[0]?.hasEnded]).toEqual([port, false]);
    for (const client of clients) client.socket.destroy();
    await bed.atRest();
    await Promise.all([first?.stop(), second?.stop()]);
  });

  it('lets a request in flight end on its old route', async () => {
    const slow = await ScriptedUpstream.start();
    bed = await ProxyBed.start(
      config({ clusters: [{ name: 'api', endpoints: [{ address: slow.address }] }] }),
    );
    const client = await RawClient.to(await bed.port('web'));
    client.send(GET);
    const socket = await slow.connections(1);

    bed.write(config());
    await bed.proxy.reload();
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow');
    await client.until((received) => received.endsWith('slow'));
    client.received = '';
    client.send(GET);
    await client.until((received) => received.endsWith('hello'));

    client.socket.destroy();
    await slow.stop();
  });

  it('closes idle connections of a removed listener after the grace period, and answers earlier requests', async () => {
    const timers = new TurnedTimers();
    const kept = config({ listeners: [{ name: 'web', address: '127.0.0.1:0' }] });
    const both = [
      { name: 'web', address: '127.0.0.1:0' },
      { name: 'old', address: '127.0.0.1:0' },
    ];
    bed = await ProxyBed.start(
      { ...config({ listeners: both }), drain: { grace: '5s', timeout: '9s' } },
      { timers },
    );
    const port = await bed.port('old');
    const [idle, busy] = [await RawClient.to(port), await RawClient.to(port)];
    const late = await RawClient.to(port);
    for (const client of [idle, busy, late]) {
      client.send(GET);
      await client.until((received) => received.endsWith('hello'));
    }

    bed.write({ ...kept, drain: { grace: '5s', timeout: '9s' } });
    expect((await bed.proxy.reload()).result).toBe('applied');
    await expect(RawClient.to(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await timers.turn(4_000);
    expect(idle.hasEnded).toBe(false);
    busy.received = '';
    busy.send(GET);
    await busy.ended();
    expect(busy.received).toMatch(/Connection: close\r\n[^]*hello$/);
    // Its request has arrived, and is unread, when the grace period ends.
    late.received = '';
    late.send(GET);
    timers.jump(1_000);
    await late.ended();
    expect(late.received).toMatch(/Connection: close\r\n[^]*hello$/);
    await idle.ended();

    for (const client of [idle, busy, late]) client.socket.destroy();
    await bed.atRest();
  });

  it('checks the cluster of a new listener first', async () => {
    const checked = await ScriptedUpstream.start(
      answering('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'),
    );
    bed = await ProxyBed.start(config());

    bed.write(
      config({
        listeners: [
          { name: 'web', address: '127.0.0.1:0' },
          { name: 'new', address: '127.0.0.1:0' },
        ],
        clusters: [
          { name: 'api', endpoints: [{ address: checked.address }], health_check: { path: '/healthz' } },
        ],
      }),
    );
    await bed.proxy.reload();

    expect(await ask(await bed.port('new'))).toMatch(/hello$/);
    await checked.stop();
  });

  it('changes the protocol of an address that stays bound', async () => {
    const echo = await ScriptedUpstream.start((socket) => socket.pipe(socket));
    bed = await ProxyBed.start(config());
    const port = await bed.port('web');
    const before = await RawClient.to(port);
    before.send(GET);
    await before.until((received) => received.endsWith('hello'));

    bed.write(
      config({
        listeners: [{ name: 'web', address: '127.0.0.1:0', protocol: 'tcp', cluster: 'api' }],
        clusters: [{ name: 'api', endpoints: [{ address: echo.address }] }],
        routes: [],
      }),
    );
    expect(await bed.proxy.reload()).toEqual({ result: 'applied', faults: [] });
    expect(await bed.port('web')).toBe(port);
    const after = await RawClient.to(port);
    after.send('echo');
    await after.until((received) => received === 'echo');

    for (const client of [before, after]) client.socket.destroy();
    await echo.stop();
  });

  it('starts when the file has changed and settled', async () => {
    const timers = new TurnedTimers();
    bed = await ProxyBed.start(config(), { timers, watchEveryMs: 1_000 });
    await timers.turn(3_000);
    expect((await bed.proxy.snapshot()).configReloads).toEqual({ applied: 0, rejected: 0, unchanged: 0 });

    bed.write(config({ routes: [{ prefix: '/', cluster: 'api', timeout: '3s' }] }));
    const applied = bed.until(({ configReloads }) => configReloads.applied === 1);
    const turning = (async () => {
      while (bed.events.every(({ type }) => type !== 'config_reload')) await timers.turn(1_000);
    })();

    await applied;
    await turning;
    expect((await bed.proxy.snapshot()).configReloads).toEqual({ applied: 1, rejected: 0, unchanged: 0 });
  });

  it('is rejected during a drain', async () => {
    bed = await ProxyBed.start(config());
    await bed.proxy.drain();

    const { result, faults } = await bed.proxy.reload();

    expect([result, faults]).toEqual(['rejected', ['the proxy is DRAINING']]);
  });
});

describe.each([undefined, 2])('a listener that a reload removes, with workers: %s', (workers) => {
  it(
    'is counted until it is empty, and the rest of its connections is cut at the time-out of a drain',
    async () => {
      const echo = await namedEcho('hello');
      const timers = new TurnedTimers();
      const web = { name: 'web', address: '127.0.0.1:0' };
      const db = { name: 'db', address: '127.0.0.1:0', protocol: 'tcp', cluster: 'api' };
      const config = (listeners: object[]): object => ({
        ...(workers === undefined ? {} : { workers }),
        listeners,
        clusters: [{ name: 'api', endpoints: [{ address: echo.address }] }],
        routes: [{ prefix: '/', cluster: 'api' }],
        drain: { grace: '100ms', timeout: '4s' },
      });
      const bed = await ProxyBed.start(config([web, db]), workers === undefined ? { timers } : { workers });
      const client = await RawClient.to(await bed.port('db'));
      await client.until((received) => received === 'hello');

      bed.write(config([web]));
      const { result } = await bed.proxy.reload();
      const kept = await bed.proxy.snapshot();
      const turning = workers === undefined ? timers.turn(4_000) : undefined;
      await client.ended();
      await turning;
      client.socket.destroy();
      const after = await bed.atRest();

      expect(result).toBe('applied');
      expect(kept.listeners.map(({ name }) => name)).toEqual(['web']);
      expect(kept.removedListeners).toMatchObject([{ name: 'db', cxTotal: 1, cxActive: 1 }]);
      expect([kept.downstreamCxActive, kept.drain.cutConnections]).toEqual([1, 0]);
      expect([after.removedListeners, after.downstreamCxTotal, after.drain.cutConnections]).toEqual([
        [],
        1,
        1,
      ]);
      await bed.stop();
      await echo.stop();
    },
    TIMEOUT_MS,
  );
});
