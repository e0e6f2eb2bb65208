import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Graph } from '#graph/engine';
import { QueryService } from '#graph/query';
import { asking, hostsOf, tokenOf } from './support/seq-token.ts';
import { type Answer, bodyOf, TestService } from './support/test-service.ts';

const HOUR = { PLEXUS_QUERY_TIMEOUT: '1h' };
const SYNC = { connector_id: 'test', sync_id: 'first', ...hostsOf() };

/** Settles once a request waits for the graph; `ended` with the result of the wait. */
function waitsOf(graph: Graph): Promise<{ readonly ended: Promise<unknown> }> {
  const began = Promise.withResolvers<{ readonly ended: Promise<unknown> }>();
  const reached = graph.reached.bind(graph);
  jest.spyOn(graph, 'reached').mockImplementation((...parts) => {
    const waiting = reached(...parts);
    began.resolve({ ended: waiting.catch((error: unknown) => error) });
    return waiting;
  });
  return began.promise;
}

describe('Plexus-Seq', () => {
  let service: TestService;
  const write = (keys: readonly string[], more: object = {}): Promise<Answer> =>
    service.call('POST', '/v1/ingest/write', { ...hostsOf(...keys), ...more });
  const query = (more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    service.call('POST', '/v1/query', { pql: 'FIND host', ...more }, headers);
  const ahead = (by = 1): string => `${service.graph.epoch}.${service.graph.durableVersion + by}`;

  beforeAll(async () => {
    service = await TestService.start({ environment: HOUR });
    await write(['a', 'b', 'c']);
  });
  afterAll(() => service.stop());
  afterEach(() => {
    jest.restoreAllMocks();
  });

  describe('on a reply', () => {
    it.each<[string, number, Parameters<TestService['call']>]>([
      ['of health', 200, ['GET', '/v1/health']],
      ['of counts', 200, ['GET', '/v1/stats']],
      ['of a query', 200, ['POST', '/v1/query', { pql: 'FIND host' }]],
      ['of a plan', 200, ['POST', '/v1/query', { pql: 'EXPLAIN FIND host' }]],
      ['of a document', 200, ['GET', '/v1/queries']],
      ['of a backup', 200, ['GET', '/v1/backup']],
      ['without a body', 404, ['DELETE', `/v1/entities/${'0'.repeat(32)}`]],
      ['to a query that is wrong', 400, ['POST', '/v1/query', { pql: 'FIND' }]],
      ['to a body that is no JSON', 400, ['POST', '/v1/query', '{']],
      ['to a field that is unknown', 400, ['POST', '/v1/query', { pql: 'FIND host', x: 1 }]],
      ['to an unknown path', 404, ['GET', '/v1/nothing']],
      ['to a method that the path has not', 405, ['PUT', '/v1/query']],
    ])('%s tells the history and the place in it', async (_, status, call) => {
      const answer = await service.call(...call);

      expect(answer.status).toBe(status);
      expect(tokenOf(answer).text).toBe(`${service.graph.epoch}.${service.graph.durableVersion}`);
    });

    it('is set on the reply to an unsupported content type', async () => {
      const answer = await service.call('POST', '/v1/query', 'FIND host', { 'Content-Type': 'text/plain' });

      expect(answer.status).toBe(415);
      expect(tokenOf(answer).seq).toBe(service.graph.durableVersion);
    });

    it('is set below /v1 only', async () => {
      const answers = await Promise.all(
        ['/docs-json', '/metrics', '/v10'].map((path) => service.call('GET', path)),
      );

      expect(answers.map(({ headers }) => headers.get('Plexus-Seq'))).toEqual([null, null, null]);
    });

    it('equals the snapshot of the query body during concurrent writes', async () => {
      const work = Array.from({ length: 40 }, async (_, i) => {
        if (i % 2 === 0) await write([`w${i}`]);
        const answer = await query();
        return [tokenOf(answer).seq, bodyOf(answer)['snapshot_version']] as const;
      });

      const pairs = await Promise.all(work);

      expect(pairs.map(([token]) => token)).toEqual(pairs.map(([, version]) => version));
    });

    it('equals the snapshot of the query, not a later write before the reply', async () => {
      const queries = service.get(QueryService);
      const reply = queries.reply.bind(queries);
      jest.spyOn(queries, 'reply').mockImplementation(async (...parts) => {
        const made = await reply(...parts);
        await write(['before it was sent']);
        return made;
      });

      const answer = await query();

      expect(tokenOf(answer).seq).toBe(service.graph.durableVersion - 1);
      expect(bodyOf(answer)['snapshot_version']).toBe(tokenOf(answer).seq);
    });

    it('equals the snapshot of the cursor for a page, and the one read for lines', async () => {
      const first = await query({ limit: 1 });
      await write(['later']);

      const second = await query({ cursor: bodyOf(first)['cursor'], limit: 1 });
      const lines = await query({}, { Accept: 'application/x-ndjson' });

      expect(tokenOf(second).text).toBe(tokenOf(first).text);
      expect(bodyOf(second)['snapshot_version']).toBe(tokenOf(first).seq);
      expect(tokenOf(lines).seq).toBe(service.graph.durableVersion);
    });

    it('equals the number of the write’s own batch among concurrent ones', async () => {
      const before = service.graph.durableVersion;

      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => write([`own-${i}`])));

      const seqs = answers.map((answer) => tokenOf(answer).seq).sort((a, b) => a - b);
      expect(seqs).toEqual(seqs.map((_, i) => before + 1 + i));
    });

    it('makes every kind of write visible to readers', async () => {
      const calls: [string, string, unknown][] = [
        ['POST', '/v1/ingest/sync', { ...SYNC, ...hostsOf('synced') }],
        ['POST', '/v1/ingest/sessions', { connector_id: 'test', sync_id: 'parts' }],
        ['PUT', '/v1/queries/mine', { text: 'FIND host' }],
        ['DELETE', '/v1/queries/mine', undefined],
      ];
      for (const [method, path, body] of calls) {
        const before = service.graph.durableVersion;
        const answer = await service.call(method, path, body);

        expect([path, answer.status < 300, tokenOf(answer).seq]).toEqual([path, true, before + 1]);
      }
    });

    it('is not lower for a repeated write or sync than for the first', async () => {
      const writeId = { write_id: 'again' };
      const first = await write(['once'], writeId);
      await write(['between']);

      const second = await write(['once'], writeId);
      const together = await Promise.all(
        Array.from({ length: 4 }, () => write(['x'], { write_id: 'together' })),
      );
      const sync = { ...SYNC, sync_id: 'repeated' };
      const firstSync = await service.call('POST', '/v1/ingest/sync', sync);
      const secondSync = await service.call('POST', '/v1/ingest/sync', sync);

      const seqs = together.map((answer) => tokenOf(answer).seq);
      expect(tokenOf(second).seq).toBeGreaterThanOrEqual(tokenOf(first).seq);
      expect(new Set(together.map(({ text }) => text)).size).toBe(1);
      expect(Math.min(...seqs)).toBe(service.graph.durableVersion - 1);
      expect(tokenOf(secondSync).seq).toBeGreaterThanOrEqual(tokenOf(firstSync).seq);
    });

    it('of a write without changes is not lower than the compared state', async () => {
      const before = tokenOf(await write(['same']));

      const dryRun = await service.call('POST', '/v1/ingest/sync?dry_run=true', { ...SYNC, sync_id: 'dry' });

      expect(dryRun.status).toBe(200);
      expect(tokenOf(dryRun).seq).toBe(before.seq);
    });
  });

  describe('on a request', () => {
    it('passes at once if the graph has reached the number', async () => {
      const reached = jest.spyOn(service.graph, 'reached');
      const { text } = tokenOf(await write(['there']));

      const answers = await Promise.all([
        query({}, asking(text)),
        query({}, asking(`${service.graph.epoch}.0`)),
        service.call('GET', '/v1/stats', undefined, asking(text)),
      ]);

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(reached).not.toHaveBeenCalled();
    });

    it.each<[string, (headers: Record<string, string>) => Promise<Answer>]>([
      ['query', (headers) => query({ timeout_ms: 3_600_000 }, headers)],
      ['write', (headers) => service.call('POST', '/v1/ingest/write', hostsOf('waits'), headers)],
      ['read', (headers) => service.call('GET', '/v1/stats', undefined, headers)],
    ])('a %s waits until the graph is there, and reads nothing older', async (_, call) => {
      const began = waitsOf(service.graph);
      const asked = service.graph.durableVersion + 2;
      const answer = call(asking(ahead(2)));
      await began;

      await write(['one more']);
      await write(['and another']);

      expect((await answer).status).toBe(200);
      expect(tokenOf(await answer).seq).toBeGreaterThanOrEqual(asked);
    });

    it('gives NOT_CAUGHT_UP with both numbers after the wait', async () => {
      const at = service.graph.durableVersion;

      const answer = await query({ timeout_ms: 1 }, asking(ahead(7)));

      expect(answer.status).toBe(503);
      expect(bodyOf(answer)).toMatchObject({ error: 'NOT_CAUGHT_UP', details: { asked: at + 7, at } });
      expect(tokenOf(answer).seq).toBe(at);
    });

    it('waits for timeout_ms up to the query time-out; 5 s by default', async () => {
      const waits: number[] = [];
      jest.spyOn(service.graph, 'reached').mockImplementation((_, timeoutMs) => {
        waits.push(timeoutMs);
        return Promise.resolve();
      });

      await query({ timeout_ms: 70 }, asking(ahead()));
      await query({ timeout_ms: 'x' }, asking(ahead()));
      await query({}, asking(ahead()));
      await service.call('GET', '/v1/stats', undefined, asking(ahead()));
      const bounded = await TestService.start({ environment: { PLEXUS_QUERY_TIMEOUT: '2s' } });
      jest.spyOn(bounded.graph, 'reached').mockImplementation((_, timeoutMs) => {
        waits.push(timeoutMs);
        return Promise.resolve();
      });
      await bounded.call(
        'POST',
        '/v1/query',
        { pql: 'FIND host', timeout_ms: 60_000 },
        {
          'Plexus-Seq': `${bounded.graph.epoch}.9`,
        },
      );
      await bounded.stop();

      expect(waits).toEqual([70, 5_000, 5_000, 5_000, 2_000]);
    });

    it('stops waiting when its client disconnects', async () => {
      const began = waitsOf(service.graph);
      const client = new AbortController();
      const reply = fetch(`${service.url}/v1/query`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...asking(ahead(1_000_000)) },
        body: JSON.stringify({ pql: 'FIND host', timeout_ms: 3_600_000 }),
        signal: client.signal,
      }).catch(() => 'left');
      const { ended } = await began;

      client.abort();

      expect(await reply).toBe('left');
      expect(await ended).toMatchObject({ code: 'NOT_CAUGHT_UP' });
    });

    it.each([
      '',
      'x',
      '1',
      '.',
      '.5',
      'a.',
      'a.-1',
      'a.1.2',
      'a.01',
      'a.1e3',
      'a.99999999999999999999',
      'a b.1',
      'ä.1',
      'a.1, a.2',
    ])('is refused as INVALID_REQUEST when malformed: %j', async (token) => {
      const answer = await service.call('GET', '/v1/stats', undefined, {
        'Plexus-Seq': Buffer.from(token, 'utf8').toString('latin1'),
      });

      expect(answer.status).toBe(400);
      expect(bodyOf(answer)).toMatchObject({ error: 'INVALID_REQUEST', details: { field: 'Plexus-Seq' } });
    });

    it('gives CONFLICT for another history, whatever the number', async () => {
      const answers = [
        await query({}, asking('0123456789abcdef.0')),
        await service.call('GET', '/v1/stats', undefined, asking(`${service.graph.epoch}x.1`)),
      ];

      for (const answer of answers) {
        expect(answer.status).toBe(409);
        expect(bodyOf(answer)).toMatchObject({ error: 'CONFLICT', details: { epoch: service.graph.epoch } });
      }
    });

    it('is ignored on public routes: health answers at once', async () => {
      const reached = jest.spyOn(service.graph, 'reached');

      const answers = [
        await service.call('GET', '/v1/health', undefined, asking('nonsense')),
        await service.call('GET', '/v1/health', undefined, asking(ahead(9))),
      ];

      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(reached).not.toHaveBeenCalled();
    });
  });

  it('is described once in the OpenAPI document and referenced wherever it is sent or accepted', async () => {
    const { text } = await service.call('GET', '/docs-json');
    const { paths, components } = JSON.parse(text) as Described;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method} ${path}`,
        path,
        ...operation,
      })),
    );
    const [below, beside] = [true, false].map((is) =>
      operations.filter(({ path }) => path.startsWith('/v1/') === is),
    );
    const takes = ({ parameters = [] }: Operation): boolean =>
      parameters.some(({ $ref }) => $ref === '#/components/parameters/PlexusSeq');
    const tells = ({ responses }: Operation): boolean[] =>
      Object.values(responses).map(({ headers }) => headers?.['Plexus-Seq'] !== undefined);

    expect(Object.keys({ ...components.parameters, ...components.headers })).toEqual(['PlexusSeq']);
    expect(below?.filter((each) => !takes(each)).map(({ name }) => name)).toEqual(['get /v1/health']);
    expect(below?.flatMap(tells)).not.toContain(false);
    expect(beside?.flatMap((each) => [takes(each), ...tells(each)])).not.toContain(true);
  });
});

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string }[];
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: object; readonly headers: object };
}
