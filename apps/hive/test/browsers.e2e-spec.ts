import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { TestHive } from './support/test-hive.ts';
import { SCENARIO } from './support/test-scenario.ts';

interface Raw {
  readonly status: number;
  readonly text: string;
}

/** Sends a request with a custom Host header, which fetch does not allow. */
function send(hive: TestHive, method: string, path: string, headers: Record<string, string>): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const body = method === 'POST' ? JSON.stringify(SCENARIO) : '';
    const sent = request(hive.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...headers },
    });
    sent.once('error', reject);
    sent.once('response', (reply) => {
      let text = '';
      reply.on('data', (chunk: Buffer) => (text += chunk.toString()));
      reply.once('end', () => {
        resolve({ status: reply.statusCode ?? 0, text });
      });
    });
    sent.end(body);
  });
}

describe('a hive in open mode', () => {
  let hive: TestHive;

  beforeAll(async () => {
    hive = await TestHive.start({ environment: { PLEXUS_ALLOWED_HOSTS: 'load.example, b.example' } });
  });
  afterAll(() => hive.remove());

  it.each<[string, Record<string, string>]>([
    ['a page elsewhere', { Origin: 'https://evil.example' }],
    ['a rebound name', { Host: 'evil.example', Origin: 'http://evil.example' }],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('rejects a new run from %s', async (_what, headers) => {
    const { status, text } = await send(hive, 'POST', '/runs', headers);

    expect([status, JSON.parse(text)]).toEqual([
      403,
      {
        error: 'FORBIDDEN_ORIGIN',
        message: expect.stringContaining('PLEXUS_ALLOWED_HOSTS'),
        request_id: expect.any(String),
      },
    ]);
    expect(await hive.json(200, 'GET', '/runs')).toMatchObject({ runs: [] });
  });

  it('serves its own page under an allowed host name', async () => {
    const headers = { Host: 'load.example', Origin: 'https://load.example', 'Sec-Fetch-Site': 'same-origin' };

    expect((await send(hive, 'GET', '/edges', headers)).status).toBe(200);
  });

  it('serves /health to any origin, and rejects all other paths from foreign origins', async () => {
    const headers = { Origin: 'https://evil.example' };
    const paths = ['/health', '/no/such', '/metrics', '/docs', '/%zz'];

    const replies = await Promise.all(paths.map((path) => send(hive, 'GET', path, headers)));

    expect(replies.map(({ status }) => status)).toEqual([200, 403, 403, 403, 403]);
  });
});

describe('a hive with a key', () => {
  it('accepts requests with the key from any origin, and rejects requests without it', async () => {
    const hive = await TestHive.start({ environment: { PLEXUS_HIVE_API_KEY: 'k3y' } });
    const headers = { Origin: 'https://evil.example', Host: 'evil.example' };

    const without = await send(hive, 'GET', '/edges', headers);
    const withKey = await send(hive, 'GET', '/edges', { ...headers, Authorization: 'Bearer k3y' });

    await hive.remove();
    expect([without.status, withKey.status]).toEqual([401, 200]);
  });
});
