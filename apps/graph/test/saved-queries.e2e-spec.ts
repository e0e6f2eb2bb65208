import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './support/built-program.ts';
import { bodyOf, type Json, TestService } from './support/test-service.ts';

const YAML_TYPE = { 'Content-Type': 'application/yaml' };
const HOSTS = { text: 'FIND Host WITH env = $env', parameters: { env: { type: 'string', default: 'prod' } } };
const namesOf = (list: Json) => (list['queries'] as readonly Json[]).map(({ name }) => name);

describe('saved queries', () => {
  let directory: string;
  let service: TestService;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-queries-'));
    service = await TestService.start({ directory });
  });
  afterEach(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const put = (name: string, body: unknown) =>
    service.call('PUT', `/v1/queries/${encodeURIComponent(name)}`, body);

  it('are saved, listed by name and tag, shown and removed', async () => {
    const saved = await put('Hosts / prod?', { ...HOSTS, tags: ['inventory'], description: 'All.' });
    await put('another', { text: 'FIND user' });
    const all = await service.json(200, 'GET', '/v1/queries');
    const tagged = await service.json(200, 'GET', '/v1/queries?tag=inventory');
    const removed = await service.call('DELETE', '/v1/queries/another');
    const gone = await service.call('GET', '/v1/queries/another');

    const shown = { name: 'Hosts / prod?', description: 'All.', tags: ['inventory'], ...HOSTS };
    expect([saved.status, bodyOf(saved)]).toEqual([200, { ...shown, updated_at: expect.any(String) }]);
    expect(namesOf(all)).toEqual(['another', 'Hosts / prod?']);
    expect(namesOf(tagged)).toEqual(['Hosts / prod?']);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect([gone.status, bodyOf(gone)['error']]).toEqual([404, 'NOT_FOUND']);
  });

  it('round-trip through the API unchanged', async () => {
    await put('hosts', HOSTS);
    const shown = await service.json(200, 'GET', '/v1/queries/hosts');

    const again = await put('hosts', shown);

    expect(bodyOf(again)).toEqual(shown);
  });

  it.each([
    ['a text that is no query', { text: 'FIND host WITH' }, 'PQL_SYNTAX', { position: 14, line: 1 }],
    ['a name that is not bound', { text: 'FIND host AS h RETURN x.y' }, 'PQL_SYNTAX', { position: 22 }],
    ['a parameter that is not declared', { text: 'FIND host WITH a = $b' }, 'PQL_SYNTAX', { position: 19 }],
    [
      'a parameter that the text does not name',
      { ...HOSTS, text: 'FIND host' },
      'INVALID_REQUEST',
      { field: 'parameters.env' },
    ],
    ['an unknown field', { ...HOSTS, pql: '' }, 'INVALID_REQUEST', { field: 'pql' }],
    ['another name', { ...HOSTS, name: 'x' }, 'INVALID_REQUEST', { field: 'name' }],
    ['no text', {}, 'INVALID_REQUEST', { field: 'text' }],
    ['too many tags', { ...HOSTS, tags: Array(33).fill('a') }, 'INVALID_REQUEST', { field: 'tags' }],
  ])('are refused with %s', async (_name, body, error, details) => {
    const answer = await put('hosts', body);

    expect([answer.status, bodyOf(answer)]).toMatchObject([400, { error, details }]);
    expect(await service.json(200, 'GET', '/v1/queries')).toEqual({ count: 0, queries: [] });
  });

  it('report how to declare a missing parameter', async () => {
    const { details } = bodyOf(await put('x', { text: 'FIND host WITH a = $b' }));

    expect(details).toMatchObject({ hint: 'declare it: parameters: {b: {type: string}}' });
  });

  it('are exported as a file that imports to the same queries', async () => {
    await put('hosts', { ...HOSTS, tags: ['a: b', '#c'], description: 'two\nlines' });
    await put('no: "trouble" \\ with | YAML', { text: "FIND host WITH name = 'yes'\n  AND os = '1e3'" });
    const before = await service.json(200, 'GET', '/v1/queries');
    const file = await service.call('GET', '/v1/queries?format=yaml');
    await service.call('DELETE', '/v1/queries/hosts');
    await put('not in the file', { text: 'FIND user' });

    const reply = await service.json(200, 'POST', '/v1/queries?mode=replace', file.text, YAML_TYPE);

    const withoutTime = (list: Json) => JSON.stringify(list).replaceAll(/"updated_at":"[^"]*"/g, '');
    expect(file.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(reply).toEqual({ count: 2, added: 1, updated: 0, removed: 1 });
    expect(withoutTime(await service.json(200, 'GET', '/v1/queries'))).toBe(withoutTime(before));
  });

  it('are imported all or none, with the position of an error', async () => {
    const file = (text: string) => `queries:\n  - {name: a, text: FIND host}\n  - ${text}\n`;
    const imported = (text: string) => service.call('POST', '/v1/queries', file(text), YAML_TYPE);

    const misspelt = await imported('{name: b, txt: FIND host}');
    const twice = await imported('{name: a, text: FIND user}');
    const bad = await imported('{name: b, text: FIND host WITH}');

    expect([misspelt.status, bodyOf(misspelt)]).toMatchObject([
      400,
      { error: 'INVALID_REQUEST', message: expect.stringMatching(/^body:3:\d+: unknown key "txt"/) },
    ]);
    expect(bodyOf(twice)).toMatchObject({
      message: expect.stringMatching(/^body:3:\d+: duplicate name "a"/),
    });
    expect([bad.status, bodyOf(bad)]).toMatchObject([
      400,
      { error: 'PQL_SYNTAX', details: { query: 'b', position: 14, line: 1, column: 15 } },
    ]);
    expect(await service.json(200, 'GET', '/v1/queries')).toEqual({ count: 0, queries: [] });
  });

  it('survive a restart', async () => {
    await put('hosts', HOSTS);
    const before = await service.json(200, 'GET', '/v1/queries');
    await service.stop();

    service = await TestService.start({ directory });

    expect(await service.json(200, 'GET', '/v1/queries')).toEqual(before);
  });

  it('survive SIGKILL in the order of their acknowledgement', async () => {
    const own = join(directory, 'killed');
    const server = await startServer(['--data-dir', own]);
    for (const text of ['FIND host', 'FIND user', 'FIND service']) {
      const reply = await fetch(`${server.url}/v1/queries/one`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ text }),
      });
      expect(reply.status).toBe(200);
    }
    await server.end('SIGKILL');

    const survivor = await startServer(['--data-dir', own]);
    const kept = (await (await fetch(`${survivor.url}/v1/queries/one`)).json()) as Json;
    await survivor.end('SIGTERM');

    expect(kept['text']).toBe('FIND service');
  });
});

describe('saved queries of a service with a key', () => {
  it('are not shown without it', async () => {
    const service = await TestService.start({ environment: { PLEXUS_API_KEY: 'k'.repeat(32) } });

    const answers = await Promise.all([
      service.call('GET', '/v1/queries'),
      service.call('PUT', '/v1/queries/a', { text: 'FIND host' }),
      service.call('DELETE', '/v1/queries/a'),
    ]);
    await service.stop();

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});
