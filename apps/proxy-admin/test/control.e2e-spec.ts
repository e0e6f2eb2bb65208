import { afterEach, describe, expect, it } from '@jest/globals';
import { Secret } from '#platform/foundation';
import type { AdminConfig } from '#proxy/engine';
import { clusterSnapshot, endpointSnapshot, proxySnapshot } from '#proxy/testing';
import { TestAdmin } from './support/test-admin.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const TOKEN = 'correct-horse-battery-staple';

describe('extensions of the admin server', () => {
  let admin: TestAdmin;

  const start = async (parts: Partial<AdminConfig> = {}, host?: string) => {
    const more = host === undefined ? {} : { host };
    admin = await TestAdmin.scripted({ admin: { extensions: true, ...parts }, ...more });
  };
  const change = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'POST') =>
    admin.ask(method, path, { ...JSON_TYPE, ...headers });

  afterEach(() => admin.stop());

  it('answer OK while the process is responsive, in any state of the proxy', async () => {
    await start();
    admin.source.current = proxySnapshot({ state: 'DRAINING' });

    const answer = await admin.ask('GET', '/admin/v1/live');

    expect([answer.status, answer.body]).toEqual([200, 'OK']);
  });

  it('show clusters in detail', async () => {
    await start();
    const check = { at: 1, result: 'failed' as const, latencyMs: 3.5, reason: 'status 500', streak: 4 };
    const endpoints = [endpointSnapshot('a:1', { healthy: false, lastCheck: check })];
    admin.source.current = proxySnapshot({ clusters: [clusterSnapshot('api', { endpoints })] });

    const answer = await admin.ask('GET', '/admin/v1/clusters');

    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.body)).toMatchObject({
      clusters: [
        {
          name: 'api',
          lb_policy: 'round_robin',
          endpoints: [{ address: 'a:1', healthy: false, last_check: { reason: 'status 500', streak: 4 } }],
        },
      ],
    });
  });

  it('explain the route and target of a request', async () => {
    await start();
    const route = { index: 0, line: 3, host: '*', prefix: '/', takes: true, reason: 'matches' };
    admin.source.explanation = {
      listener: 'web',
      host: 'a',
      path: '/b c',
      routes: [route],
      route,
      redirect: undefined,
      cluster: undefined,
    };

    const answer = await admin.ask('GET', '/admin/v1/explain?host=a&path=%2Fb%20c');

    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      200,
      { listener: 'web', route: { prefix: '/', takes: true }, cluster: null },
    ]);
  });

  it.each(['', '?host=a', '?path=/', '?host=&path=/', '?host=a&path=/&x=1', '?host=a&host=b&path=/'])(
    'reject an explanation of %s',
    async (query) => {
      await start();

      const answer = await admin.ask('GET', `/admin/v1/explain${query}`);

      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([400, { error: 'INVALID_REQUEST' }]);
    },
  );

  it.each([
    ['?path=/', 'host is required'],
    ['?host=a', 'path is required'],
  ])('name what is missing in an explanation of %s', async (query, message) => {
    await start();

    const answer = await admin.ask('GET', `/admin/v1/explain${query}`);

    expect(JSON.parse(answer.body)).toMatchObject({ error: 'INVALID_REQUEST', message });
  });

  it('reload, and report the result', async () => {
    await start();

    const applied = await change('/admin/v1/reload');
    admin.source.reloadResult = { result: 'rejected', faults: ['proxy.yaml:3:1: unknown key'] };
    const rejected = await change('/admin/v1/reload');

    expect([applied.status, JSON.parse(applied.body)]).toEqual([200, { result: 'applied', faults: [] }]);
    expect([rejected.status, JSON.parse(rejected.body)]).toEqual([
      422,
      { result: 'rejected', faults: ['proxy.yaml:3:1: unknown key'] },
    ]);
  });

  it('drain, and then end the proxy', async () => {
    await start();

    const first = await change('/admin/v1/drain');
    const second = await change('/admin/v1/drain');
    const ready = await admin.ask('GET', '/ready');
    await admin.ended;

    expect([first.status, first.body]).toEqual([202, '{"state":"DRAINING"}']);
    expect(second.status).toBe(202);
    expect([ready.status, ready.body]).toEqual([503, 'DRAINING']);
    expect(admin.source.orders).toEqual(['drain']);
  });

  it('complete the response to the drain when the server ends with it', async () => {
    await start();
    const ended = admin.ended.then(() => admin.stop());

    const answer = await change('/admin/v1/drain');
    await ended;

    expect([answer.status, answer.body]).toEqual([202, '{"state":"DRAINING"}']);
    await start();
  });

  it.each([
    ['api', '10.0.0.1:80'],
    ['a/b c', '[::1]:80'],
    ['a%b', '..'],
  ])('disable and enable the endpoint %s %s', async (cluster, address) => {
    await start();
    admin.source.endpoints.add(`${cluster} ${address}`);
    const path = `/admin/v1/endpoints/${encodeURIComponent(cluster)}/${encodeURIComponent(address)}`;

    const disabled = await change(path, {}, 'DELETE');
    const enabled = await change(path);

    expect([disabled.status, JSON.parse(disabled.body)]).toEqual([200, { cluster, address, enabled: false }]);
    expect([enabled.status, JSON.parse(enabled.body)]).toEqual([200, { cluster, address, enabled: true }]);
    expect(admin.source.orders).toEqual([`disable ${cluster} ${address}`, `enable ${cluster} ${address}`]);
  });

  it('answer 404 for other endpoints', async () => {
    await start();

    const answer = await change('/admin/v1/endpoints/api/a:1', {}, 'DELETE');

    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
      404,
      { error: 'NOT_FOUND', message: 'cluster api has no endpoint a:1' },
    ]);
  });

  describe('against DNS rebinding', () => {
    it.each([
      '127.0.0.1',
      '127.0.0.1:9901',
      '10.1.2.3',
      '[::1]',
      '[::1]:9901',
      'localhost',
      'LocalHost:80',
      'proxy.internal',
      'Proxy.Internal:9901',
    ])('answer Host: %s', async (host) => {
      await start({ allowedHosts: ['proxy.internal'] });

      const answer = await admin.ask('GET', '/admin/v1/live', { Host: host });

      expect(answer.status).toBe(200);
    });

    it.each([
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '',
      '[::1',
      'a@127.0.0.1',
      '::1',
    ])('reject Host: %s, for reads too', async (host) => {
      await start();

      for (const path of ['/admin/v1/live', '/admin/v1/clusters', '/admin/v1/events', '/admin/ui']) {
        const answer = await admin.ask('GET', path, { Host: host });

        expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { error: 'FORBIDDEN' }]);
      }
    });

    it('reject a request without Host', async () => {
      await start();

      const answer = await admin.exchange('GET /admin/v1/live HTTP/1.0\r\n\r\n');

      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    });

    it('answer the host of admin_address', async () => {
      await start({}, '127.0.0.1');

      const answer = await admin.ask('GET', '/admin/v1/live', { Host: '127.0.0.1' });

      expect(answer.status).toBe(200);
    });
  });

  describe('against pages of other sites', () => {
    const own = (): string => `127.0.0.1:${admin.port}`;

    it.each([
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'nonsense' },
      { Origin: 'https://evil.example' },
      { Origin: 'http://127.0.0.1:1' },
      { Origin: 'null' },
      { Origin: '' },
    ])('reject changes with %j', async (headers) => {
      await start();

      const answer = await change('/admin/v1/reload', headers);

      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { error: 'FORBIDDEN' }]);
      expect(admin.source.orders).toEqual([]);
    });

    it.each([
      (): Record<string, string> => ({ 'Sec-Fetch-Site': 'same-origin', Origin: `http://${own()}` }),
      (): Record<string, string> => ({ 'Sec-Fetch-Site': 'none' }),
      (): Record<string, string> => ({ Origin: `http://${own()}` }),
    ])('accept changes from their own page', async (headers) => {
      await start();

      const answer = await change('/admin/v1/reload', headers());

      expect(answer.status).toBe(200);
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'x; application/json'])(
      'reject changes of type %s, which a form could send',
      async (type) => {
        await start();

        const answer = await change('/admin/v1/reload', { 'Content-Type': type });

        expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
          415,
          { error: 'UNSUPPORTED_MEDIA_TYPE' },
        ]);
        expect(admin.source.orders).toEqual([]);
      },
    );

    it('reject changes without a type', async () => {
      await start();

      const answer = await admin.ask('POST', '/admin/v1/reload');

      expect(answer.status).toBe(415);
    });

    it('accept a type with parameters', async () => {
      await start();

      const answer = await change('/admin/v1/reload', { 'Content-Type': 'Application/JSON ; charset=utf-8' });

      expect(answer.status).toBe(200);
    });
  });

  describe('with a token', () => {
    it.each([
      {},
      { Authorization: 'Bearer' },
      { Authorization: 'Bearer ' },
      { Authorization: `Basic ${TOKEN}` },
      { Authorization: `Bearer ${TOKEN}x` },
      { Authorization: `Bearer ${TOKEN.slice(1)}x` },
      { Authorization: TOKEN },
    ])('reject changes with %j', async (headers) => {
      await start({ token: new Secret(TOKEN) });

      const answer = await change('/admin/v1/reload', headers);

      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        401,
        { error: 'Unauthorized', message: 'missing or invalid token' },
      ]);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(admin.source.orders).toEqual([]);
    });

    it('accept changes with it, and reads without', async () => {
      await start({ token: new Secret(TOKEN) });

      const reload = await change('/admin/v1/reload', { Authorization: `Bearer ${TOKEN}` });
      const read = await admin.ask('GET', '/admin/v1/clusters');

      expect([reload.status, read.status]).toEqual([200, 200]);
    });
  });

  it('accept no change without a token on an address reachable from other machines', async () => {
    await start({}, '0.0.0.0');

    const reload = await change('/admin/v1/reload');
    const read = await admin.ask('GET', '/admin/v1/clusters');

    expect([reload.status, JSON.parse(reload.body)]).toMatchObject([403, { error: 'FORBIDDEN' }]);
    expect(read.status).toBe(200);
  });

  it('accept changes with the token on such an address', async () => {
    await start({ token: new Secret(TOKEN) }, '0.0.0.0');

    const reload = await change('/admin/v1/reload', { Authorization: `Bearer ${TOKEN}` });

    expect(reload.status).toBe(200);
  });

  it('reject changes when they are read-only, with or without a token', async () => {
    await start({ readOnly: true, token: new Secret(TOKEN) });

    for (const path of ['reload', 'drain', 'endpoints/a/b']) {
      const answer = await change(`/admin/v1/${path}`, { Authorization: `Bearer ${TOKEN}` });

      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { error: 'FORBIDDEN' }]);
    }
    expect(admin.source.orders).toEqual([]);
  });
});
