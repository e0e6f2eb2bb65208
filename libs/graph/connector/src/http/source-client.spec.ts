import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { nextOfLink, retryAfterMs } from './reply-headers.ts';
import { sourceClient, type SourcePage } from './source-client.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the connection without an answer. */
  readonly isCut?: boolean;
}

/** A step that waits for nothing. */
class Waiter {
  readonly stopped = new AbortController();
  readonly waits: number[] = [];

  get signal(): AbortSignal {
    return this.stopped.signal;
  }

  async sleep(ms: number): Promise<void> {
    this.waits.push(ms);
    this.signal.throwIfAborted();
  }
}

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

async function serve(answers: readonly Answer[]): Promise<{ url: string; asked: IncomingMessage[] }> {
  const left = [...answers];
  const asked: IncomingMessage[] = [];
  server = createServer((request, reply) => {
    asked.push(request);
    const { status = 200, headers = {}, body = '{}', isCut = false } = left.shift() ?? { status: 410 };
    if (isCut) request.socket.destroy();
    else reply.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, asked };
}

async function pagesOf(pages: AsyncIterable<SourcePage>): Promise<readonly unknown[]> {
  const bodies: unknown[] = [];
  for await (const { body } of pages) bodies.push(body);
  return bodies;
}

describe('a client of a source', () => {
  it('asks again after a refusal that passes, when the service says, else later each time', async () => {
    const { url, asked } = await serve([
      { status: 429, headers: { 'Retry-After': '7' } },
      { status: 503 },
      { isCut: true },
      { body: '{"a":1}' },
    ]);
    const waiter = new Waiter();

    expect(await sourceClient({ headers: { 'X-Key': 'k' } }).json(waiter, url)).toEqual({ a: 1 });
    expect(waiter.waits).toEqual([7_000, 2_000, 4_000]);
    expect(asked.map(({ headers }) => headers['x-key'])).toEqual(['k', 'k', 'k', 'k']);
  });

  it.each<[string, readonly Answer[], string]>([
    ['another refusal', [{ status: 403 }], 'URL/a answered 403'],
    ['one that does not pass', [{ status: 500 }], 'URL/a answered 500'],
    ['too many', [{ status: 503 }, { status: 503 }], 'URL/a answered 503, at each of 2 requests'],
    [
      'too long a wait',
      [{ status: 429, headers: { 'Retry-After': '86400' } }],
      'URL/a answered 429, and asks to wait 86400 s: expected at most 300 s',
    ],
    ['a redirect', [{ status: 302, headers: { Location: 'http://other/' } }], 'URL/a answered 302'],
    ['no JSON', [{ body: '<html>' }], 'expected JSON of URL/a, got something else'],
  ])('fails for %s, without the parameters of the URL', async (_what, answers, message) => {
    const { url } = await serve(answers);
    const asking = sourceClient({ attempts: 2 }).json(new Waiter(), `${url}/a?token=secret`);

    await expect(asking).rejects.toThrow(message.replace('URL', url));
  });

  it('follows the pages that Link names, and those that the body names', async () => {
    const { url } = await serve([
      { body: '1', headers: { Link: '</a?page=1>; rel="prev", </a?page=2>; rel="next"' } },
      { body: '2' },
      { body: '{"next":"/b"}' },
      { body: '{}' },
    ]);
    const client = sourceClient();
    const nextOf = ({ body }: SourcePage) => (body as { readonly next?: string }).next;

    expect(await pagesOf(client.pages(new Waiter(), `${url}/a`))).toEqual([1, 2]);
    expect(await pagesOf(client.pages(new Waiter(), `${url}/x`, nextOf))).toEqual([{ next: '/b' }, {}]);
  });

  it.each([
    ['a page that came before', '/a', 'expected each page once, got SITE/a again'],
    ['another service', 'http://127.0.0.2/a', 'expected the next page at SITE, got one at http://127.0.0.2'],
    ['no URL', 'http://[', 'expected the URL of a page after SITE/a, got no URL'],
  ])('refuses a next page that is %s', async (_what, next, message) => {
    const { url } = await serve([{ body: '1' }, { body: '2' }]);
    const reading = pagesOf(sourceClient().pages(new Waiter(), `${url}/a`, () => next));

    await expect(reading).rejects.toThrow(message.replaceAll('SITE', url));
  });

  it('asks at most so often in a second', async () => {
    const { url } = await serve([{}, {}, {}]);
    const waiter = new Waiter();
    const client = sourceClient({ perSecond: 0.001 });
    for (let count = 0; count < 3; count++) await client.json(waiter, url);

    const [second = 0, third = 0] = waiter.waits;
    expect(second).toBeGreaterThan(900_000);
    expect(third).toBeGreaterThan(second);
  });

  it('ends when the step is stopped', async () => {
    const { url } = await serve([{ status: 503 }]);
    const waiter = new Waiter();
    waiter.stopped.abort(new Error('stopped'));

    await expect(sourceClient().json(waiter, url)).rejects.toThrow('stopped');
  });
});

describe('headers of a reply', () => {
  const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['-1', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('Retry-After %s is %s ms', (text, ms) => {
    expect(retryAfterMs(new Headers({ 'Retry-After': text }), NOW_MS)).toBe(ms);
  });

  it.each([
    ['<https://a/?page=2>; rel="next", <https://a/?page=9>; rel="last"', 'https://a/?page=2'],
    ['<https://a/?a,b=1>; title="x, y"; rel=next', 'https://a/?a,b=1'],
    ['<b>; rel="last next"', 'b'],
    ['<b>; rel="previous"', undefined],
    ['nonsense', undefined],
  ])('Link %s leads to %s', (text, target) => {
    expect(nextOfLink(new Headers({ Link: text }))).toBe(target);
  });
});
