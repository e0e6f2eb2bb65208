import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EXTENSION_ENDPOINTS } from '#proxy/admin';
import { clusterSnapshot, endpointSnapshot, listenerSnapshot, proxySnapshot } from '#proxy/testing';
import { gunzipSync } from 'node:zlib';
import { everythingFrom, TestAdmin } from './support/test-admin.ts';

const NOT_FOUND_LIST = `GET /stats - metrics in the Prometheus text format
GET /clusters - clusters with their endpoints and health
GET /config - number of listeners, clusters and routes
GET /ready - LIVE while the proxy accepts traffic
`;
const EXTENSIONS_LIST = `GET /admin/ui - page with the live state of the proxy
GET /admin/assets/{name} - files of this page
GET /admin/v1/about - name of this proxy, and whether changes are accepted
GET /admin/v1/openapi.json - these endpoints as an OpenAPI document
GET /admin/v1/live - OK while the process is responsive
GET /admin/v1/clusters - listeners, clusters and endpoints in detail
GET /admin/v1/events - changes as they happen, as server-sent events
GET /admin/v1/explain - route and endpoint for a request with ?host=&path=
POST /admin/v1/reload - reload the configuration
POST /admin/v1/drain - complete requests in progress, then exit
POST /admin/v1/endpoints/{cluster}/{address} - enable an endpoint
DELETE /admin/v1/endpoints/{cluster}/{address} - disable an endpoint
`;

const SNAPSHOT = proxySnapshot({
  listeners: [listenerSnapshot('web'), listenerSnapshot('pg')],
  clusters: [
    clusterSnapshot('zeta', { endpoints: [endpointSnapshot('10.0.0.1:80', { activeRequests: 2 })] }),
    clusterSnapshot('alpha', { endpoints: [endpointSnapshot('[::1]:80', { healthy: false })] }),
  ],
  routeCount: 3,
});
const CLUSTERS =
  '{"clusters":[{"name":"zeta","endpoints":[{"address":"10.0.0.1:80","healthy":true,"active_requests":2}]},' +
  '{"name":"alpha","endpoints":[{"address":"[::1]:80","healthy":false,"active_requests":0}]}]}';

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const TEXT = 'text/plain; charset=utf-8';

describe('the admin server', () => {
  let admin: TestAdmin;

  beforeAll(async () => {
    admin = await TestAdmin.scripted();
  });
  beforeEach(() => {
    admin.source.current = SNAPSHOT;
  });
  afterAll(() => admin.stop());

  it('answers byte for byte', async () => {
    const answer = await admin.exchange('GET /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

    expect(answer.replace(/^Date: .*\r\n/m, '')).toBe(
      'HTTP/1.1 200 OK\r\n' +
        'cache-control: no-store\r\n' +
        'x-content-type-options: nosniff\r\n' +
        'content-type: text/plain; charset=utf-8\r\n' +
        'content-length: 4\r\n' +
        'Connection: close\r\n' +
        '\r\n' +
        'LIVE',
    );
  });

  it.each([
    ['/ready', 200, TEXT, 'LIVE'],
    ['/clusters', 200, 'application/json', CLUSTERS],
    ['/config', 200, 'application/json', '{"listeners":2,"clusters":2,"routes":3}'],
    ['/nope', 404, TEXT, `Not Found: /nope\n${NOT_FOUND_LIST}`],
    ['/', 404, TEXT, `Not Found: /\n${NOT_FOUND_LIST}`],
  ])('answers GET %s with %d', async (path, status, type, body) => {
    const answer = await admin.ask('GET', path);

    expect(answer.status).toBe(status);
    expect(answer.body).toBe(body);
    expect(answer.headers).toMatchObject({ ...COMMON, 'content-type': type });
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['PRE_INITIALIZING', 'INITIALIZING', 'DRAINING'] as const)(
    'is not ready when the proxy is %s, and /stats agrees',
    async (state) => {
      admin.source.current = proxySnapshot({ state });

      const ready = await admin.ask('GET', '/ready');
      const stats = await admin.ask('GET', '/stats');

      expect([ready.status, ready.body, ready.headers['content-type']]).toEqual([503, state, TEXT]);
      expect(stats.body).toContain('\nplexus_server_live 0\n');
    },
  );

  it.each([undefined, 'application/openmetrics-text; version=1.0.0', 'application/json', 'text/html'])(
    'sends metrics in the text format 0.0.4 for Accept: %s',
    async (accept) => {
      const stats = await admin.ask('GET', '/stats', accept === undefined ? {} : { Accept: accept });

      expect(stats.status).toBe(200);
      expect(stats.headers).toMatchObject({
        ...COMMON,
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      });
      expect(stats.body).toMatch(/^# HELP plexus_downstream_cx_total Total/);
    },
  );

  it.each(['/ready', '/clusters', '/config', '/nope', '/stats/'])(
    'answers HEAD %s like GET, without the body',
    async (path) => {
      const get = await admin.ask('GET', path);
      const head = await admin.ask('HEAD', path);

      expect([head.status, head.body]).toEqual([get.status, '']);
      expect({ ...head.headers, date: '' }).toEqual({ ...get.headers, date: '' });
    },
  );

  it('answers HEAD /stats without the body', async () => {
    const head = await admin.ask('HEAD', '/stats');

    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
    'answers %s on known paths with 405, and on others with 404',
    async (method) => {
      const known = await admin.ask(method, '/stats');
      const unknown = await admin.ask(method, '/nope');

      expect([known.status, known.headers['allow']]).toEqual([405, 'GET, HEAD']);
      expect(known.body).toBe(`Method Not Allowed: ${method} /stats\n${NOT_FOUND_LIST}`);
      expect(known.headers).toMatchObject(COMMON);
      expect([unknown.status, unknown.headers['allow']]).toEqual([404, undefined]);
    },
  );

  it.each([
    '/stats/',
    '//stats',
    '///',
    '/STATS',
    '/Ready',
    '/%73tats',
    '/ready%20',
    '/%zz',
    '/%',
    '/%00',
    '/%e4',
    '/../ready',
    '/./ready',
    '/x/../ready',
    '/ready/..',
    '/ready;x',
    '/clusters/api',
    '/admin',
    '/admin/',
    '/admin/v1/live',
    '/admin/v1/clusters',
    '/admin/ui',
    '/metrics',
    '/favicon.ico',
    '*',
    `/${'a'.repeat(10_000)}`,
    `/${'a/'.repeat(5_000)}`,
  ])('answers 404 to %s', async (path) => {
    const answer = await admin.ask('GET', path);

    expect([answer.status, answer.body]).toEqual([404, `Not Found: ${path}\n${NOT_FOUND_LIST}`]);
  });

  it.each(['/ready?', '/ready?x=1', '/ready?/stats', '/ready?%zz', '/ready??', '/ready?a=%00&&&'])(
    'answers %s: the query is ignored',
    async (path) => {
      const answer = await admin.ask('GET', path);

      expect([answer.status, answer.body]).toEqual([200, 'LIVE']);
    },
  );

  it('omits the query from a 404', async () => {
    const answer = await admin.ask('GET', '/nope?token=secret');

    expect(answer.body).not.toContain('secret');
  });

  it.each([
    ['http://anything.example/ready', 200],
    ['HTTP://a:1/ready?x', 200],
    ['http://a', 404],
    ['http://a?ready', 404],
  ])('accepts the absolute form %s', async (target, status) => {
    const answer = await admin.ask('GET', target);

    expect(answer.status).toBe(status);
  });

  it('lists the endpoints as JSON to clients that prefer it', async () => {
    const answer = await admin.ask('GET', '/nope', { Accept: 'application/json' });

    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.body)).toEqual({
      error: 'Not Found',
      path: '/nope',
      endpoints: NOT_FOUND_LIST.trim()
        .split('\n')
        .map((line) => {
          const [, method, path, description] = /^(\S+) (\S+) - (.+)$/.exec(line) ?? [];
          return { method, path, description };
        }),
    });
  });

  it('answers one request after another on a connection', async () => {
    const socket = await admin.open();
    const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    socket.write(request('/ready') + request('/nope') + request('/config', 'Connection: close\r\n'));

    const answers = await everythingFrom(socket);

    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  it('ignores the body of a GET', async () => {
    const answer = await admin.ask('GET', '/ready', { 'Content-Length': '0', 'Content-Type': 'text/x' });

    expect([answer.status, answer.body]).toEqual([200, 'LIVE']);
  });

  it.each(['evil.example', 'localhost', '[::1]:9', '!', ''])(
    'answers the specified endpoints for any Host: %s',
    async (host) => {
      const ready = await admin.ask('GET', '/ready', { Host: host });
      const unknown = await admin.ask('GET', '/nope', { Host: host });

      expect([ready.status, unknown.status]).toEqual([200, 404]);
    },
  );
});

describe('the admin server with extensions', () => {
  let admin: TestAdmin;

  beforeAll(async () => {
    admin = await TestAdmin.scripted({ admin: { extensions: true } });
  });
  afterAll(() => admin.stop());

  it('lists the extensions', async () => {
    const answer = await admin.ask('GET', '/nope');

    expect(answer.body).toBe(`Not Found: /nope\n${NOT_FOUND_LIST}${EXTENSIONS_LIST}`);
  });

  it.each([
    '/admin',
    '/admin/',
    '/admin/v1',
    '/admin/v1/',
    '/admin/v1/nope',
    '/admin/ui/',
    '/admin/v1/endpoints/a',
  ])('answers 404 to %s for any Host', async (path) => {
    const answer = await admin.ask('GET', path, { Host: 'evil.example' });

    expect(answer.status).toBe(404);
  });

  it.each([
    ['GET', '/admin/v1/drain', 'POST'],
    ['GET', '/admin/v1/endpoints/a/b', 'POST, DELETE'],
    ['POST', '/admin/v1/clusters', 'GET, HEAD'],
    ['DELETE', '/admin/v1/reload', 'POST'],
  ])('answers %s %s with 405 and Allow: %s', async (method, path, allow) => {
    const answer = await admin.ask(method, path);

    expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
    expect(admin.source.orders).toEqual([]);
  });

  const assetName = async (): Promise<string> => {
    const shell = await admin.ask('GET', '/admin/ui');
    return /\/admin\/assets\/([^"]+)/.exec(shell.body)?.[1] ?? '';
  };

  it.each(EXTENSION_ENDPOINTS.map(({ method, path }) => [method, path] as const))(
    'serves %s %s',
    async (method, path) => {
      const asset = await assetName();
      const url = path.replace('{cluster}', 'api').replace('{address}', 'a:1').replace('{name}', asset);
      admin.source.endpoints.add('api a:1');

      const answer = await admin.ask(method === 'GET' ? 'HEAD' : method, url, {
        'Content-Type': 'application/json',
      });

      expect([200, 202, 400]).toContain(answer.status);
    },
  );
});

describe('/stats', () => {
  let admin: TestAdmin;

  beforeAll(async () => {
    admin = await TestAdmin.scripted();
    admin.source.current = SNAPSHOT;
  });
  afterAll(() => admin.stop());

  it.each(['gzip', 'deflate, GZIP;q=0.5', 'x-gzip'])(
    'is compressed for a scraper that accepts %s',
    async (coding) => {
      const { status, headers, body } = await admin.ask('GET', '/stats', { 'Accept-Encoding': coding });

      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-encoding': 'gzip',
        vary: 'Accept-Encoding',
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'content-length': String(body.length),
      });
      const text = gunzipSync(Buffer.from(body, 'latin1')).toString();
      expect(text).toMatch(/^# HELP plexus_downstream_cx_total /);
    },
  );

  it.each(['', 'identity', 'gzip;q=0', 'gzip; q=0.0', 'bgzip'])('is plain text for %j', async (coding) => {
    const { headers, body } = await admin.ask('GET', '/stats', { 'Accept-Encoding': coding });

    expect(headers['content-encoding']).toBeUndefined();
    expect(body).toMatch(/^# HELP plexus_downstream_cx_total /);
  });
});
