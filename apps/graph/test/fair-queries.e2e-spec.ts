import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { clique, SLOW_QUERY } from './support/estate.ts';
import { type Answer, bodyOf, type Json, TestService } from './support/test-service.ts';

const MIB = 2 ** 20;
/** Keeps hundreds of threads of the automaton alive at every character. */
const SLOW_EXPRESSION = '(a[ab]{900}|b[ab]{901})[0-9]';

function blob(key: string, text: string): object {
  return { type: 'blob', key, properties: { text, size: text.length } };
}

/** Sends a query and polls the health of the service until the query is answered. */
async function besideHealth(
  service: TestService,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ readonly answer: Answer; readonly healthReplies: number }> {
  const state: { answer?: Answer; healthReplies: number } = { healthReplies: 0 };
  const asked = service.call('POST', '/v1/query', body, headers).then((answer) => (state.answer = answer));
  for (; state.answer === undefined; state.healthReplies++) await service.json(200, 'GET', '/v1/health');
  return { answer: await asked, healthReplies: state.healthReplies };
}

describe('matching of long text', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/write', {
      entities: [
        blob('long', 'ab'.repeat(MIB / 2)),
        blob('needle', `${'a'.repeat(50_000)}needle${'b'.repeat(50_000)}`),
        blob('short', 'needle'),
        { type: 'reader', key: 'r' },
      ],
      relationships: [
        { from: { type: 'reader', key: 'r' }, verb: 'READS', to: { type: 'blob', key: 'needle' } },
      ],
    });
  });
  afterAll(() => service.stop());

  it.each([
    ['an expression', 'FIND blob WITH text =~ $p', SLOW_EXPRESSION],
    ['LIKE', 'FIND blob WITH text LIKE $p', `%${'a_'.repeat(1_500)}c%`],
    [
      'an expression over rows',
      'FIND blob AS b WHERE b.text =~ $p OR b.size < 0 RETURN b._key',
      SLOW_EXPRESSION,
    ],
    ['an expression of HAVING', 'FIND blob GROUP BY text HAVING text =~ $p', SLOW_EXPRESSION],
  ])('%s is stopped at the time limit, and the service answers meanwhile', async (_, pql, p) => {
    const { answer, healthReplies } = await besideHealth(service, { pql, params: { p }, timeout_ms: 2_500 });

    expect(answer.status).toBe(504);
    expect(bodyOf(answer)).toMatchObject({
      error: 'QUERY_TIMEOUT',
      message: 'query stopped after 2500 ms',
      details: { timeout_ms: 2_500 },
    });
    expect(healthReplies).toBeGreaterThan(2);
  });

  it.each([
    ["FIND blob WITH text =~ 'needle'", ['needle', 'short']],
    ["FIND blob WITH NOT text =~ 'n[e]{2}dle'", ['long']],
    ["FIND blob WITH text =~ '^a+needleb+$' AND size > 0", ['needle']],
    ["FIND blob WITH text LIKE '%a_eedle%'", ['needle']],
    ["FIND blob WITH text ILIKE '%NEED_E%'", ['needle', 'short']],
    ["FIND blob WITH text CONTAINS 'needle'", ['needle', 'short']],
    ["FIND blob THAT READS reader WITH _key = 'r'", ['needle']],
  ])('%s finds what it should', async (pql, keys) => {
    const reply = await service.query(pql);

    expect(reply.entities.map((entity) => entity['key'])).toEqual(keys);
  });

  it('gives the same answer for a text tested in a row, a hop, a link or a group', async () => {
    const row = await service.query("FIND blob AS b WHERE b.text =~ 'needleb*$' RETURN b._key");
    const hop = await service.query("FIND reader THAT READS blob WITH text =~ 'needleb*$'");
    const groups = await service.query("FIND blob GROUP BY text HAVING text =~ 'needleb*$'");
    const path = await service.query("FIND SHORTEST PATH FROM reader TO blob WITH text =~ '^a*needle'");

    expect(row['rows']).toEqual([['needle'], ['short']]);
    expect(hop['count']).toBe(1);
    expect(groups['count']).toBe(2);
    expect(path['count']).toBe(1);
  });
});

describe('queries that share the service', () => {
  let service: TestService;
  const slow = (timeoutMs: number): Promise<Answer> =>
    service.call('POST', '/v1/query', { pql: SLOW_QUERY, timeout_ms: timeoutMs });

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_QUERIES_MAX: '1', PLEXUS_QUERY_QUEUE: '2' } });
    await service.json(200, 'POST', '/v1/ingest/write', clique(60));
  });
  afterAll(() => service.stop());

  it('lets a short query overtake long ones that occupy every slot', async () => {
    const order: string[] = [];
    const long = [1, 2].map(() => slow(2_000).then(() => order.push('long')));
    await until(service, 'plexus_queries_waiting 1');

    await service.query('FIND node RETURN COUNT');
    order.push('short');
    await Promise.all(long);

    expect(order).toEqual(['short', 'long', 'long']);
  });

  it('counts the time that a query waits for a slot', async () => {
    const answers = await Promise.all([slow(600), slow(600), slow(600)]);

    expect(answers.map((answer) => [answer.status, bodyOf(answer)['message']])).toEqual(
      Array.from({ length: 3 }, () => [504, 'query stopped after 600 ms']),
    );
  });

  it('frees the queue place of a waiting client that disconnects', async () => {
    const [stays, goes] = [new AbortController(), new AbortController()];
    const asked = Promise.allSettled(
      [stays, goes, goes].map(({ signal }) =>
        fetch(`${service.url}/v1/query`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ pql: SLOW_QUERY, timeout_ms: 600_000 }),
          signal,
        }),
      ),
    );
    await until(service, 'plexus_queries_waiting 2');
    goes.abort();
    await until(service, 'plexus_queries_waiting 0');

    expect((await slow(200)).status).toBe(504);
    stays.abort();
    await asked;
  });
});

/** Polls the metrics until they contain the line. */
async function until(service: TestService, line: string): Promise<void> {
  for (;;) {
    const { text } = await service.call('GET', '/metrics');
    if (text.split('\n').includes(line)) return;
  }
}

describe('memory of running queries', () => {
  const GROUPED = { pql: 'FIND item GROUP BY _key', limit: 1 };
  const COUNT = 3_000;
  let service: TestService | undefined;
  afterEach(() => service?.stop());

  async function startWith(memory: string): Promise<TestService> {
    service = await TestService.start({ environment: { PLEXUS_QUERY_MEMORY: memory } });
    const entities = Array.from({ length: COUNT }, (_, i) => ({ type: 'item', key: `k${String(i)}` }));
    await service.json(200, 'POST', '/v1/ingest/write', { entities });
    return service;
  }

  it('is bounded for each query, with an error that says so, while others continue', async () => {
    const small = await startWith('64KiB');
    const asked = Array.from({ length: 28 }, () => small.json(422, 'POST', '/v1/query', GROUPED));
    const other = await small.query("FIND item WITH _key = 'k7'");

    expect(other['count']).toBe(1);
    for (const reply of await Promise.all(asked)) {
      expect(reply).toMatchObject({ error: 'QUERY_TOO_LARGE', details: { limit: 65_536 } });
    }
    expect((await small.call('GET', '/metrics')).text).toContain('plexus_query_bytes 0\n');
  });

  it('admits the queries that fit one after another', async () => {
    const large = await startWith('4MiB');
    const asked = Array.from({ length: 28 }, () => large.json(200, 'POST', '/v1/query', GROUPED));

    expect((await Promise.all(asked)).map((reply) => reply['count'])).toEqual(Array(28).fill(COUNT));
  });
});

describe('results behind cursors', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_CURSORS_MEMORY: '64KiB' } });
    await service.json(200, 'POST', '/v1/ingest/write', {
      entities: Array.from({ length: 200 }, (_, i) => ({ type: 'item', key: `k${String(i)}` })),
    });
  });
  afterAll(() => service.stop());

  it('are dropped oldest first when they exceed their memory', async () => {
    const pages: Json[] = [];
    for (let page = 0; page < 28; page++) {
      pages.push(await service.query('FIND item GROUP BY _key', { limit: 1 }));
    }
    const [oldest, newest] = [pages[0]?.['cursor'], pages.at(-1)?.['cursor']];

    const gone = await service.json(410, 'POST', '/v1/query', { cursor: oldest });
    const next = await service.json(200, 'POST', '/v1/query', { cursor: newest, limit: 1 });

    expect(gone).toMatchObject({ error: 'CURSOR_EXPIRED' });
    expect(next).toMatchObject({ count: 200, groups: [{ key: 'k1', count: 1 }] });
  });
});

describe('a stream of lines', () => {
  let service: TestService;
  const NDJSON = { Accept: 'application/x-ndjson' };

  beforeAll(async () => {
    service = await TestService.start();
    await service.json(200, 'POST', '/v1/ingest/write', {
      entities: Array.from({ length: 3_000 }, (_, i) => blob(`k${String(i)}`, `${String(i)} `.repeat(1_000))),
    });
  });
  afterAll(() => service.stop());

  it('ends with the warnings, if there are any', async () => {
    const lastLine = async (pql: string): Promise<unknown> => {
      const { text } = await service.call('POST', '/v1/query', { pql }, NDJSON);
      return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as unknown;
    };

    expect(await lastLine('FIND container')).toEqual({
      end: true,
      count: 0,
      warnings: [expect.objectContaining({ code: 'UNKNOWN_CLASS' })],
    });
    expect(await lastLine('FIND blob LIMIT 1')).toEqual({ end: true, count: 1 });
  });

  it('yields to other requests between its chunks, and is complete', async () => {
    const { answer, healthReplies } = await besideHealth(service, { pql: 'FIND blob' }, NDJSON);
    const lines = answer.text.trimEnd().split('\n');

    expect(lines).toHaveLength(3_001);
    expect(lines.at(-1)).toBe('{"end":true,"count":3000}');
    expect(healthReplies).toBeGreaterThan(2);
  });
});
