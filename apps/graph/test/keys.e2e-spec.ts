/** Named keys, as their holders and as others try them. */
import { status, type StatusObject } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BoltPeer, callFault, GraphCaller, MESSAGE } from '#graph/testing';
import { GRAPH_ACCESS } from '#platform/auth';
import { keysOfRoles, secretOf } from '#testing';
import { type Answer, TestService } from './support/test-service.ts';

const UNAUTHORIZED = '{"error":"Unauthorized","message":"missing or invalid API key"}';
const UNSIGNED = 'eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ.';
const UNKNOWN_ID = '0'.repeat(32);
const OTHERS = { type: 'host', key: 'shared', properties: { owner: 'other' } };

type Headers = Record<string, string>;

const as = (role: string): Headers => ({ Authorization: `Bearer ${secretOf(role)}` });
const lacks = (who: string, permission: string): string =>
  JSON.stringify({ error: 'Forbidden', message: `${who} lacks the permission ${permission}` });

/** The status and body of an answer. */
const shown = ({ status, text }: Answer): readonly [number, string] => [status, text];

describe('a service with a keys file', () => {
  let directory: string;
  let keys: string;
  let service: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-keys-'));
    keys = join(directory, 'keys.yaml');
    await writeFile(keys, keysOfRoles(GRAPH_ACCESS));
    const environment = { PLEXUS_KEYS: keys, PLEXUS_MCP: 'on', PLEXUS_GRPC_PORT: '0', PLEXUS_BOLT_PORT: '0' };
    service = await TestService.start({ environment });
    const body = { connector_id: 'other', sync_id: '1', entities: [OTHERS] };
    await service.json(200, 'POST', '/v1/ingest/sync', body, as('admin'));
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /**
   * Changes the file, and resolves once a key is answered like this. Each answer is a turn of the service.
   */
  const rewrite = async (text: string, role: string, status: number): Promise<void> => {
    await writeFile(keys, text);
    while ((await service.call('GET', '/v1/stats', undefined, as(role))).status !== status);
  };

  /** The headers of a new session, and a message. */
  const mcpSession = async (role: string): Promise<readonly [Headers, object]> => {
    const headers = {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...as(role),
    };
    const client = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client };
    const begin = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const begun = await service.call('POST', '/mcp', begin, headers);
    const id = begun.headers.get('mcp-session-id') ?? '';
    return [
      { ...headers, 'Mcp-Session-Id': id },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
  };

  it.each<[string, string, Headers]>([
    ['a parameter', `/v1/stats?access_token=${secretOf('admin')}`, {}],
    ['another parameter', `/v1/stats?api_key=${secretOf('admin')}&key=${secretOf('admin')}`, {}],
    [
      'a password',
      '/v1/stats',
      { Authorization: `Basic ${Buffer.from(`x:${secretOf('admin')}`).toString('base64')}` },
    ],
    ['a cookie', '/v1/stats', { Cookie: `key=${secretOf('admin')}` }],
    ['a header of its own', '/v1/stats', { 'X-API-Key': secretOf('admin') }],
    ['the name of the key', '/v1/stats', { Authorization: 'Bearer admin' }],
    ['its hash', '/v1/stats', { Authorization: `Bearer ${'a'.repeat(64)}` }],
    ['a token without a signature', '/v1/stats', { Authorization: `Bearer ${UNSIGNED}` }],
    [
      'two tokens',
      '/v1/stats',
      { Authorization: `Bearer ${secretOf('admin')}, Bearer ${secretOf('admin')}` },
    ],
  ])('takes no key from %s', async (_what, path, headers) => {
    expect(shown(await service.call('GET', path, undefined, headers))).toEqual([401, UNAUTHORIZED]);
  });

  it('refuses a header with an end of line, and answers nothing else', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8');
    socket.end(
      `GET /v1/stats HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\n ${secretOf('admin')}\r\nConnection: close\r\n\r\n`,
    );
    let text = '';
    socket.on('data', (part: string) => (text += part));
    await once(socket, 'close');

    expect(text).toMatch(/^HTTP\/1\.1 40[01] /);
  });

  it('says the same of what exists and of what does not', async () => {
    const found = await service.json(200, 'POST', '/v1/query', { pql: 'FIND host' }, as('viewer'));
    const id = String(found.entities[0]?.['_id'] ?? found.entities[0]?.['id']);

    const existing = await service.call('DELETE', `/v1/entities/${id}`, undefined, as('viewer'));
    const missing = await service.call('DELETE', `/v1/entities/${UNKNOWN_ID}`, undefined, as('viewer'));
    const malformed = await service.call('DELETE', '/v1/entities/x', undefined, as('viewer'));

    expect([existing, missing, malformed].map(shown)).toEqual(
      Array<unknown>(3).fill([403, lacks('viewer', 'write')]),
    );
  });

  it('heeds no override of the method, and asks HEAD and OPTIONS like GET', async () => {
    const override = { ...as('viewer'), 'X-HTTP-Method-Override': 'GET', 'X-HTTP-Method': 'GET' };
    const overridden = await service.call(
      'DELETE',
      `/v1/entities/${UNKNOWN_ID}?_method=GET`,
      undefined,
      override,
    );
    const head = await service.call('HEAD', '/v1/backup', undefined, as('viewer'));
    const options = await service.call('OPTIONS', '/v1/backup', undefined, as('viewer'));
    const optionsWithoutKey = await service.call('OPTIONS', '/v1/backup');

    expect([overridden.status, head.status, options.status, optionsWithoutKey.status]).toEqual([
      403, 403, 405, 401,
    ]);
  });

  it.each([
    ['/nowhere', 404],
    ['/v1/backup/', 404],
    ['//v1/backup', 404],
    ['/V1/backup', 404],
    ['/v1/%62ackup', 403],
    ['/v1/health/../backup', 403],
    ['/v1/backup?x=/v1/health', 403],
  ])('is not got around by the path %s', async (path, status) => {
    const known = await raw(service, path, `Authorization: Bearer ${secretOf('scraper')}\r\n`);
    const unknown = await raw(service, path, '');

    expect([known, unknown].map((text) => Number(text.split(' ')[1]))).toEqual([
      path.includes('..') ? 404 : status,
      401,
    ]);
  });

  it('keeps a session of MCP to the key that began it', async () => {
    const [headers, list] = await mcpSession('viewer');

    const own = await service.call('POST', '/mcp', list, headers);
    const other = await service.call('POST', '/mcp', list, { ...headers, ...as('editor') });

    expect([own.status, other.status]).toEqual([200, 404]);
  });

  describe('keeps a collector to its source', () => {
    const post = (path: string, body: unknown): Promise<Answer> =>
      service.call('POST', path, body, as('collector'));
    const REFUSED = [403, lacks('collector', 'write')];

    it('in syncs, writes and bulk loads that name another', async () => {
      const answers = [
        await post('/v1/ingest/sync', { connector_id: 'other', sync_id: '2', entities: [] }),
        await post('/v1/ingest/sync', { connector_id: 'own', sync_id: '2', priority: 9, entities: [] }),
        await post('/v1/ingest/write', { connector_id: 'other', entities: [] }),
        await post('/v1/ingest/write', { delete: { entities: [{ type: 'host', key: 'shared' }] } }),
        await post('/v1/ingest/sessions', { connector_id: 'other', sync_id: '2' }),
        await service.call('POST', '/v1/ingest/bulk?connector_id=other', '', {
          ...as('collector'),
          'Content-Type': 'application/x-ndjson',
        }),
        await service.call('DELETE', `/v1/entities/${UNKNOWN_ID}`, undefined, as('collector')),
      ];

      expect(answers.map(shown)).toEqual(Array<unknown>(answers.length).fill(REFUSED));
    });

    it('in sessions of others, which are none to it', async () => {
      const body = { connector_id: 'other', sync_id: 'by session' };
      const { session_id: id } = await service.json(201, 'POST', '/v1/ingest/sessions', body, as('admin'));
      const path = `/v1/ingest/sessions/${String(id)}`;
      const unknown = await service.call('GET', '/v1/ingest/sessions/none', undefined, as('collector'));

      const answers = [
        unknown,
        await service.call('GET', path, undefined, as('collector')),
        await service.call('PUT', `${path}/batches/1`, { entities: [] }, as('collector')),
        await post(`${path}/commit`, {}),
        await post(`${path}/abort`, undefined),
      ];

      expect(answers.map(({ status }) => status)).toEqual(Array<number>(5).fill(404));
      expect(JSON.parse(answers[1]?.text ?? '')).toMatchObject({
        error: 'NOT_FOUND',
        message: 'no such session',
      });
    });

    it('in bulk loads, whose deletes are errors of their lines', async () => {
      const lines = [
        { op: 'delete_entity', type: 'host', key: 'shared' },
        { op: 'entity', type: 'host', key: 'mine', properties: {} },
      ];
      const reply = await service.json(
        200,
        'POST',
        '/v1/ingest/bulk',
        lines.map((line) => JSON.stringify(line)).join('\n'),
        { ...as('collector'), 'Content-Type': 'application/x-ndjson' },
      );

      expect(reply).toMatchObject({ entities_written: 1, entities_deleted: 0, error_count: 1 });
      expect(reply.errors[0]).toMatchObject({ line: 1, code: 'FORBIDDEN' });
    });

    it('in calls of gRPC', async () => {
      const caller = new GraphCaller(service.grpcAddress, { key: secretOf('collector') });
      const entities = [{ type: 'host', key: 'by-grpc' }];
      const faults = [
        await callFault(caller.write({ connectorId: 'other', entities })),
        await callFault(caller.sync({ start: { connectorId: 'other', syncId: '3' } }, { commit: {} })),
        await callFault(caller.query('FIND host')),
      ];
      await caller.write({ entities });
      caller.close();

      expect(faults.map(({ status, details }) => [status, details])).toEqual([
        ['PERMISSION_DENIED', 'collector lacks the permission write'],
        ['PERMISSION_DENIED', 'collector lacks the permission write'],
        ['PERMISSION_DENIED', 'collector lacks the permission read'],
      ]);
    });

    it('in statements of Cypher', async () => {
      const cypher = "MATCH (h:host) SET h.owner = 'mine'";
      const answer = await post('/v1/cypher', { cypher });

      expect(shown(answer)).toEqual([403, lacks('collector', 'read')]);
    });

    it('so that what it states stands beside what others state', async () => {
      const mine = { ...OTHERS, properties: { seen: true } };
      await service.json(200, 'POST', '/v1/ingest/write', { entities: [mine] }, as('collector'));
      const sync = { connector_id: 'own', sync_id: 'empty', entities: [], force: true };
      await service.json(200, 'POST', '/v1/ingest/sync', sync, as('collector'));

      const { entities } = await service.json(200, 'POST', '/v1/query', { pql: 'FIND host' }, as('viewer'));
      expect(entities).toMatchObject([{ key: 'shared', properties: { owner: 'other' } }]);
    });
  });

  describe('ends what is open once its key is revoked,', () => {
    const LONG =
      'UNWIND range(1, 9999) AS a UNWIND range(1, 9999) AS b UNWIND range(1, 9999) AS c RETURN count(*)';
    const WITHOUT = keysOfRoles({ ...GRAPH_ACCESS, roles: { viewer: ['read'], admin: [] } });

    afterEach(() => rewrite(keysOfRoles(GRAPH_ACCESS), 'editor', 200));

    it('a transaction of Bolt, which is rolled back', async () => {
      const peer = await BoltPeer.admitted(service.boltAddress, secretOf('editor'));
      peer.send(MESSAGE.begin, {});
      peer.send(MESSAGE.run, "CREATE (n:Host {id: 'rolled back'})", {}, {});
      peer.send(MESSAGE.pull, { n: -1n });
      const open = [await peer.reply(), await peer.reply(), await peer.reply()].map(({ kind }) => kind);

      await rewrite(WITHOUT, 'editor', 401);
      await peer.closed;
      const found = { pql: "FIND Host WITH id = 'rolled back'" };
      const { count } = await service.json(200, 'POST', '/v1/query', found, as('viewer'));

      expect(open).toEqual(['success', 'success', 'success']);
      expect(count).toBe(0);
    });

    it('a session of Bolt in which nothing runs', async () => {
      const peer = await BoltPeer.admitted(service.boltAddress, secretOf('editor'));

      await rewrite(WITHOUT, 'editor', 401);

      await expect(peer.closed).resolves.toBeUndefined();
    });

    it('a statement of Bolt that runs', async () => {
      const peer = await BoltPeer.admitted(service.boltAddress, secretOf('editor'));
      peer.send(MESSAGE.run, LONG, {}, {});
      peer.send(MESSAGE.pull, { n: -1n });

      await rewrite(WITHOUT, 'editor', 401);
      const replies = [await peer.reply()];
      if (replies[0]?.kind === 'success') replies.push(await peer.reply());
      await peer.closed;

      expect(replies.at(-1)).toMatchObject({
        kind: 'failure',
        content: { neo4j_code: 'Neo.ClientError.Security.Unauthorized' },
      });
    });

    it('a stream of gRPC that waits for its client', async () => {
      const caller = new GraphCaller(service.grpcAddress, { key: secretOf('editor') });
      const upload = caller.client.sync(caller.metadata, () => undefined);
      const ended = new Promise<StatusObject>((resolve) => upload.once('status', resolve));
      upload.on('error', () => undefined);
      upload.write({ start: { connectorId: 'other', syncId: 'late' } });

      await rewrite(WITHOUT, 'editor', 401);
      const { details } = await ended;
      caller.close();

      expect(details).toBe('missing or invalid API key');
    });

    it('a reply of gRPC that is being sent', async () => {
      const wide = { type: 'wide', properties: { text: 'x'.repeat(20_000) } };
      for (let part = 0; part < 4; part++) {
        const entities = Array.from({ length: 500 }, (_, key) => ({ ...wide, key: `${part}-${key}` }));
        await service.json(200, 'POST', '/v1/ingest/write', { entities }, as('admin'));
      }
      const caller = new GraphCaller(service.grpcAddress, { key: secretOf('editor') });
      const reply = caller.client.query({ pql: 'FIND wide' }, caller.metadata);
      const ended = new Promise<StatusObject>((resolve) => reply.once('status', resolve));
      reply.on('error', () => undefined);
      await once(reply, 'metadata');

      await rewrite(WITHOUT, 'editor', 401);
      reply.resume();
      const { code } = await ended;
      caller.close();

      expect(['UNAUTHENTICATED', 'RESOURCE_EXHAUSTED']).toContain(status[code]);
    });

    it('a bulk load in the middle of its lines', async () => {
      const load = request(`${service.url}/v1/ingest/bulk`, {
        method: 'POST',
        headers: { ...as('editor'), 'Content-Type': 'application/x-ndjson' },
      });
      const ended = once(load, 'error');
      load.write(`${JSON.stringify({ op: 'entity', type: 'host', key: 'late', properties: {} })}\n`);
      await once(load, 'socket');

      await rewrite(WITHOUT, 'editor', 401);

      expect(String(await ended)).toContain('socket hang up');
    });

    it('a session of MCP, also where another key gets its name', async () => {
      const [headers, list] = await mcpSession('editor');

      await rewrite(WITHOUT, 'editor', 401);
      await rewrite(keysOfRoles(GRAPH_ACCESS), 'editor', 200);

      expect((await service.call('POST', '/mcp', list, headers)).status).toBe(404);
    });
  });
});

/** The whole reply to a request whose path is sent as it is. */
async function raw({ url }: TestService, path: string, header: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\n${header}Connection: close\r\n\r\n`);
  let text = '';
  socket.on('data', (part: string) => (text += part));
  await once(socket, 'close');
  return text;
}
