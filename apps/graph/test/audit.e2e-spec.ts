/** What stands in the audit trail of a service, whatever interface a change or a refusal came by. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j from 'neo4j-driver';
import { authorOf } from '#graph/engine';
import { readLog } from '#graph/storage';
import { callFault, GraphCaller } from '#graph/testing';
import { verifyTrail } from '#platform/audit';
import { GRAPH_ACCESS } from '#platform/auth';
import { NodeDisk } from '#platform/disk';
import { keysOfRoles, secretOf } from '#testing';
import { TestService } from './support/test-service.ts';

const SECRET_VALUE = 'a value that stands in no audit trail';

const as = (role: string): Record<string, string> => ({ Authorization: `Bearer ${secretOf(role)}` });

describe('a service with an audit trail', () => {
  let directory: string;
  let path: string;
  let store: string;
  let service: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-audit-'));
    path = join(directory, 'audit.jsonl');
    const keys = join(directory, 'keys.yaml');
    await writeFile(keys, keysOfRoles(GRAPH_ACCESS));
    const environment = {
      PLEXUS_KEYS: keys,
      PLEXUS_AUDIT: path,
      PLEXUS_MCP: 'on',
      PLEXUS_GRPC_PORT: '0',
      PLEXUS_BOLT_PORT: '0',
    };
    store = join(directory, 'store');
    service = await TestService.start({ environment, directory: store });
  });
  afterAll(async () => {
    await service.stop();
    const verdict = await verifyTrail(new NodeDisk(), path);
    await rm(directory, { recursive: true, force: true });
    expect(verdict.faults).toEqual([]);
  });

  /** The newest event of the filter. */
  const newest = async (filter: string): Promise<unknown> => {
    const { events } = await service.json(200, 'GET', `/v1/audit?${filter}`, undefined, as('admin'));
    return (events as readonly unknown[])[0];
  };
  const overBolt = async (role: string, statement: string): Promise<string> => {
    const driver = neo4j.driver(`bolt://${service.boltAddress}`, neo4j.auth.basic('', secretOf(role)));
    try {
      await driver.executeQuery(statement);
      return 'done';
    } catch (error) {
      return String(Reflect.get(error as object, 'code'));
    } finally {
      await driver.close();
    }
  };

  it('has a write over REST, with counts and its sequence number, and no value', async () => {
    const entities = [{ type: 'host', key: 'a', properties: { motto: SECRET_VALUE } }];
    const body = { connector_id: 'own', entities };
    const answer = await service.call('POST', '/v1/ingest/write', body, as('collector'));

    expect(await newest('who=collector')).toMatchObject({
      who: 'collector',
      source: 'own',
      from: '127.0.0.1',
      what: 'POST /v1/ingest/write',
      target: 'own',
      counts: { entities_put: 1 },
      seq: Number(answer.headers.get('plexus-seq')?.split('.')[1]),
      outcome: 'done',
      request_id: answer.headers.get('x-request-id'),
    });
  });

  it('has syncs and bulk loads, saved queries, rules and statements of Cypher', async () => {
    const sync = { connector_id: 'own', sync_id: '1', entities: [] };
    await service.json(200, 'POST', '/v1/ingest/sync', { ...sync, force: true }, as('collector'));
    const line = JSON.stringify({ op: 'entity', type: 'host', key: 'b', properties: {} });
    const ndjson = { ...as('editor'), 'Content-Type': 'application/x-ndjson' };
    await service.json(200, 'POST', '/v1/ingest/bulk', line, ndjson);
    const query = { text: `FIND host WITH motto = '${SECRET_VALUE}'` };
    await service.call('PUT', '/v1/queries/mine', query, as('editor'));
    await service.call(
      'POST',
      '/v1/cypher',
      { cypher: `CREATE (n:Host {id: '${SECRET_VALUE}'})` },
      as('editor'),
    );

    expect(await newest('what=/v1/ingest/sync')).toMatchObject({ who: 'collector', outcome: 'done' });
    expect(await newest('what=/v1/ingest/bulk')).toMatchObject({
      who: 'editor',
      counts: { entities_put: 1 },
    });
    expect(await newest('what=/v1/queries')).toMatchObject({
      what: 'PUT /v1/queries/:name',
      target: 'query mine',
    });
    expect(await newest('what=/v1/cypher')).toMatchObject({ who: 'editor', counts: { entities_put: 1 } });
  });

  it('has changes and refusals over gRPC', async () => {
    const editor = new GraphCaller(service.grpcAddress, { key: secretOf('editor') });
    const viewer = new GraphCaller(service.grpcAddress, { key: secretOf('viewer') });
    const entities = [{ type: 'host', key: 'by-grpc' }];
    await editor.write({ entities });
    await editor.sync(
      { start: { connectorId: 'g', syncId: '1' } },
      { records: { entities } },
      { commit: {} },
    );
    await callFault(viewer.write({ entities }));
    editor.close();
    viewer.close();

    expect(await newest('what=Write&who=editor')).toMatchObject({
      what: expect.stringMatching(/^gRPC .*\/Write$/),
      from: expect.stringContaining('127.0.0.1'),
      outcome: 'done',
    });
    expect(await newest('what=Sync&who=editor')).toMatchObject({ target: 'g', outcome: 'done' });
    expect(await newest('what=Write&who=viewer')).toMatchObject({ outcome: 'refused', status: 403 });
  });

  it('has changes and refusals over Bolt', async () => {
    await overBolt('editor', "CREATE (n:Host {id: 'by bolt'})");
    await overBolt('viewer', "CREATE (n:Host {id: 'by bolt'})");
    await overBolt('none', 'RETURN 1');

    expect(await newest('what=Bolt&who=editor')).toMatchObject({ from: '127.0.0.1', outcome: 'done' });
    expect(await newest('what=Bolt&who=viewer')).toMatchObject({ outcome: 'refused', status: 403 });
    expect(await newest('what=Bolt&who=nobody')).toMatchObject({ outcome: 'refused', status: 401 });
  });

  it('has rules and their evaluation', async () => {
    const rule = { id: 'r-1', name: 'r', severity: 'low', query: 'FIND host' };
    await service.json(200, 'POST', '/v1/policies', { rules: [rule] }, as('editor'));
    await service.json(200, 'POST', '/v1/policies/evaluate', {}, as('editor'));

    expect(await newest('what=/v1/policies')).toMatchObject({ who: 'editor', outcome: 'done' });
    const { events } = await service.json(200, 'GET', '/v1/audit?what=policies', undefined, as('admin'));
    const found = (events as readonly { readonly what: string; readonly target: string }[]).map(
      ({ what, target }) => `${what}: ${target.split(' ').slice(0, 2).join(' ')}`,
    );
    expect(found).toContain('POST /v1/policies: policy rule/r-1');
  });

  it('gives each of many changes at once to its caller', async () => {
    const writes = Array.from({ length: 60 }, (_, at) => {
      const role = at % 2 === 0 ? 'editor' : 'admin';
      const body = { connector_id: `of-${role}`, entities: [{ type: 'host', key: `many-${at}` }] };
      return service.json(200, 'POST', '/v1/ingest/write', body, as(role));
    });
    await Promise.all(writes);

    const { events } = await service.json(200, 'GET', '/v1/audit?what=of-', undefined, as('admin'));
    const pairs = (events as readonly { readonly who: string; readonly target: string }[]).map(
      ({ who, target }) => `${who} ${target}`,
    );
    expect(pairs.length).toBe(60);
    expect(new Set(pairs)).toEqual(new Set(['editor of-editor', 'admin of-admin']));
  });

  it('has refusals over REST and MCP by their route, never by what was sent', async () => {
    await service.call('GET', `/v1/stats?key=${secretOf('admin')}`);
    await service.call('DELETE', `/v1/entities/${SECRET_VALUE}`, undefined, as('viewer'));
    await service.call('POST', '/mcp', {}, as('collector'));

    expect(await newest('who=nobody&what=stats')).toMatchObject({
      what: 'GET /v1/stats',
      outcome: 'refused',
      status: 401,
    });
    expect(await newest('what=DELETE')).toMatchObject({ who: 'viewer', what: 'DELETE /v1/entities/:id' });
    expect(await newest('what=mcp')).toMatchObject({ who: 'collector', status: 403 });
  });

  it('gives the batches of the log the names of their callers', async () => {
    const host = { entities: [{ type: 'host', key: 'of the log' }] };
    const { headers } = await service.call('POST', '/v1/ingest/write', host, as('editor'));
    const seq = Number(headers.get('plexus-seq')?.split('.')[1]);

    const authors = new Map<number, string | undefined>();
    for await (const entry of readLog(new NodeDisk(), store))
      if (entry.kind === 'batch') authors.set(entry.seq, authorOf(entry.operations()));
    expect(authors.get(seq)).toBe('editor');
    expect([...authors.values()]).toContain('collector');
  });

  it('has no values and no secrets, and no reads', async () => {
    const { count } = await service.json(200, 'POST', '/v1/query', { pql: 'FIND host' }, as('viewer'));

    const text = await readFile(path, 'utf8');
    expect(count).toBeGreaterThan(0);
    expect(text).not.toContain(SECRET_VALUE);
    expect(text).not.toContain('plx_');
    expect(text).not.toContain('/v1/query"');
  });

  it('is shown to administrators only, by a time that exists', async () => {
    const answers = [
      await service.call('GET', '/v1/audit', undefined, as('editor')),
      await service.call('GET', '/v1/audit?since=yesterday', undefined, as('admin')),
      await service.call('GET', '/v1/audit?since=2026-13-41', undefined, as('admin')),
      await service.call('GET', '/v1/audit?since=2026-01-01&limit=1', undefined, as('admin')),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 400, 400, 200]);
    expect(JSON.parse(answers[3]?.text ?? '')).toMatchObject({ events: [{}], has_more: true });
  });
});

describe('a service whose audit trail cannot be written', () => {
  /** The status of a write, and the number of hosts after it. */
  const written = async (bestEffort: 'on' | 'off'): Promise<readonly unknown[]> => {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-audit-'));
    const path = join(directory, 'audit.jsonl');
    await symlink('/dev/full', path);
    const service = await TestService.start({
      environment: { PLEXUS_AUDIT: path, PLEXUS_AUDIT_BEST_EFFORT: bestEffort },
    });
    try {
      const body = { entities: [{ type: 'host', key: 'a' }] };
      const { status, text } = await service.call('POST', '/v1/ingest/write', body);
      const { count } = await service.json(200, 'POST', '/v1/query', { pql: 'FIND host' });
      return [status, count, text];
    } finally {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    }
  };

  it('refuses changes, and changes nothing', async () => {
    const [status, count, text] = await written('off');

    expect([status, count]).toEqual([503, 0]);
    expect(JSON.parse(String(text))).toMatchObject({
      error: 'STORE_UNAVAILABLE',
      message: 'the audit trail cannot be written: no change is made',
    });
  });

  it('makes them by best effort', async () => {
    const [status, count] = await written('on');

    expect([status, count]).toEqual([200, 1]);
  });
});
