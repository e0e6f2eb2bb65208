import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { TestService } from './support/test-service.ts';

const KEY = 'correct-horse-battery';
const REFUSAL = '{"error":"Unauthorized","message":"missing or invalid API key"}';

const GUARDED: readonly (readonly [string, string])[] = [
  ['GET', '/v1/stats'],
  ['HEAD', '/v1/stats'],
  ['POST', '/v1/query'],
  ['GET', '/v1/query'],
  ['POST', '/v1/ingest/sync'],
  ['POST', '/v1/ingest/write'],
  ['POST', '/v1/ingest/bulk'],
  ['POST', '/v1/ingest/sessions'],
  ['GET', '/v1/entities/00000000000000000000000000000000'],
  ['DELETE', '/v1/entities/00000000000000000000000000000000'],
  ['GET', '/v1/schema'],
  ['GET', '/v1/search?q=a'],
  ['GET', '/v1/changes?from=0'],
  ['GET', '/metrics'],
  ['GET', '/docs'],
  ['GET', '/docs/swagger-ui-bundle.js'],
  ['GET', '/docs-json'],
  ['GET', '/nowhere'],
  ['GET', '/'],
  ['OPTIONS', '/v1/health'],
  ['POST', '/v1/health'],
  ['PROPFIND', '/v1/stats'],
  ['GET', '/v1/policies'],
];

/** Sends raw bytes and returns the whole reply. */
async function raw(url: string, head: string, host = 'x'): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(`${head}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

/** The replies to a write that sends its body only when it is asked for: at once, and after the body. */
async function expecting(url: string, path: string, more: string): Promise<readonly [string, string]> {
  const body = '{"entities":[]}';
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n`;
  socket.write(`${head}${more}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [string];
  let rest = '';
  socket.on('data', (text: string) => {
    rest += text;
  });
  if (first.includes(' 100 ')) socket.end(body);
  // Without the body, the server closes: what follows could be the body or another request.
  await once(socket, 'close');
  return [first, rest];
}

describe('protected mode', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_API_KEY: KEY } });
  });
  afterAll(() => service.stop());

  it.each(GUARDED)('rejects %s %s without a key', async (method, path) => {
    const answer = await service.call(method, path);

    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    expect(answer.headers.get('plexus-seq')).toBeNull();
    expect(answer.text).toBe(method === 'HEAD' ? '' : REFUSAL);
  });

  it.each([
    ['nothing', ''],
    ['another key', `Bearer ${'x'.repeat(KEY.length)}`],
    ['a key of another length', 'Bearer x'],
    ['another scheme', `Basic ${KEY}`],
    ['the key alone', KEY],
  ])('refuses %s', async (_what, authorization) => {
    const answer = await service.call('GET', '/v1/stats', undefined, { Authorization: authorization });

    expect([answer.status, answer.text]).toEqual([401, REFUSAL]);
  });

  it.each(['Bearer', 'bearer', 'BEARER'])('admits the key under the scheme word %s', async (scheme) => {
    const answer = await service.call('GET', '/v1/stats', undefined, { Authorization: `${scheme} ${KEY}` });

    expect(answer.status).toBe(200);
  });

  it('rejects a request before it reads the body, whatever its form, type or size', async () => {
    const malformed = await service.call('POST', '/v1/query', '{');
    const odd = await service.call('POST', '/v1/query', 'x', { 'Content-Type': 'text/odd' });
    const large = await service.call('POST', '/v1/query', 'x'.repeat(17 * 2 ** 20));

    expect([malformed.status, odd.status, large.status]).toEqual([401, 401, 401]);
  });

  it('serves the health without a key', async () => {
    const answer = await service.call('GET', '/v1/health?probe=1');
    const head = await service.call('HEAD', '/v1/health');

    expect([answer.status, head.status]).toEqual([200, 200]);
  });

  it.each([
    'GET //v1/stats HTTP/1.1',
    'GET /v1//stats HTTP/1.1',
    'GET /v1/health/../stats HTTP/1.1',
    'GET /v1/health/ HTTP/1.1',
    'GET /v1%2Fstats HTTP/1.1',
    'GET /v1/%2e%2e/v1/stats HTTP/1.1',
    'GET /v1/health%2f..%2fstats HTTP/1.1',
    'GET /V1/STATS HTTP/1.1',
    'GET /v1/health;/../stats HTTP/1.1',
    'GET /v1/%zz HTTP/1.1',
    'GET http://other/v1/stats HTTP/1.1',
    'GET /v1/stats HTTP/1.0',
    'OPTIONS * HTTP/1.1',
    `GET /v1/entities/${'a'.repeat(600)} HTTP/1.1`,
  ])('is not got around by %s', async (head) => {
    const reply = await raw(service.url, head);

    expect(reply).toMatch(/^HTTP\/1\.1 401 /);
    expect(reply.endsWith(REFUSAL)).toBe(true);
  });

  it.each(['/v1/ingest/write', '/nowhere', '/'])(
    'does not ask for a body without a key: %s',
    async (path) => {
      const [reply] = await expecting(service.url, path, '');

      expect(reply).toMatch(/^HTTP\/1\.1 401 /);
    },
  );

  it('asks for the body of a request with the key', async () => {
    const [first, reply] = await expecting(
      service.url,
      '/v1/ingest/write',
      `Authorization: Bearer ${KEY}\r\n`,
    );

    expect(first).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('shows the key in no reply and no log', async () => {
    const answers = await Promise.all([
      service.call('GET', '/metrics', undefined, { Authorization: `Bearer ${KEY}` }),
      service.call('GET', '/v1/stats', undefined, { Authorization: `Bearer ${KEY}` }),
      service.call('GET', '/nowhere', undefined, { Authorization: `Bearer ${KEY}` }),
      service.call('POST', '/v1/query', { [KEY]: 1 }),
    ]);

    for (const { text, headers } of answers) expect(text + JSON.stringify([...headers])).not.toContain(KEY);
  });
});

describe('open mode', () => {
  it.each([{}, { PLEXUS_API_KEY: '' }])('accepts all requests with %j', async (environment) => {
    const service = await TestService.start({ environment });

    const statuses = await Promise.all([
      service.call('GET', '/v1/stats'),
      service.call('GET', '/metrics'),
      service.call('GET', '/v1/stats', undefined, { Authorization: 'Bearer whatever' }),
    ]);

    await service.stop();
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('a request from a foreign origin', () => {
  it('is rejected in open mode except for health; the console and programs are served', async () => {
    const service = await TestService.start({ environment: { PLEXUS_ALLOWED_HOSTS: 'graph.example' } });
    const statusOf = async (path: string, ...headers: readonly string[]): Promise<string> => {
      const answer = await raw(
        service.url,
        [`GET ${path} HTTP/1.1`, ...headers].join('\r\n'),
        'graph.example',
      );
      return answer.split(' ')[1] ?? '';
    };

    const statuses = await Promise.all([
      statusOf('/v1/stats', 'Origin: https://evil.example'),
      statusOf('/v1/stats', 'Sec-Fetch-Site: cross-site'),
      statusOf('/nowhere', 'Origin: null'),
      statusOf('/v1/health', 'Origin: https://evil.example'),
      statusOf('/v1/stats', 'Origin: https://graph.example', 'Sec-Fetch-Site: same-origin'),
      statusOf('/v1/stats'),
    ]);

    await service.stop();
    expect(statuses).toEqual(['403', '403', '403', '200', '200', '200']);
  });
});

describe('public docs', () => {
  it.each(['PLEXUS_PUBLIC_DOCS', 'PLEXUS_PUBLIC_PAGES'])(
    'open the page and never the document: %s',
    async (name) => {
      const service = await TestService.start({ environment: { PLEXUS_API_KEY: KEY, [name]: 'on' } });

      const page = await service.call('GET', '/docs');
      const [script = ''] = /\/docs\/assets\/[\w-]+\.js/.exec(page.text) ?? [];
      const paths = ['/docs', script, '/docs/swagger-ui.css', '/docs-json', '/v1/stats'];
      const answers = await Promise.all(paths.map((path) => service.call('GET', path)));

      await service.stop();
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 401]);
      expect(answers[0]?.text).not.toContain('openapi');
    },
  );
});
