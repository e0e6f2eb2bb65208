import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entityId, relationshipId } from '#graph/model';
import { runProgram } from './support/built-program.ts';
import { type Call, PersonEverywhere } from './support/person-everywhere.ts';
import { type Json, TestService } from './support/test-service.ts';

const KEY = 'a-key-for-forgetting';
const MARKER = 'Vx9qForgetMe';
const ANN = entityId('person', MARKER);
const BOB = entityId('person', 'bob');

describe('plexus forget', () => {
  let directory: string;
  let service: TestService;
  const headers = { Authorization: `Bearer ${KEY}` };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-forget-'));
    const environment = { PLEXUS_API_KEY: KEY, PLEXUS_AUDIT: join(directory, 'audit.jsonl') };
    service = await TestService.start({ environment, directory: join(directory, 'store') });
    for (const note of ['old', 'new']) {
      const entities = [MARKER, 'bob'].map((key) => ({ type: 'person', key, properties: { note } }));
      const [from, to] = entities.map(({ type, key }) => ({ type, key }));
      const relationships = [{ from, verb: 'KNOWS', to, properties: {} }];
      await service.json(200, 'POST', '/v1/ingest/write', { entities, relationships }, headers);
    }
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('removes an entity from all files, says what went, and can be repeated', async () => {
    const forget = (id: string): ReturnType<typeof runProgram> =>
      runProgram(['forget', id, '--url', service.url], { environment: { PLEXUS_API_KEY: KEY } });

    const first = await forget(ANN);
    const again = await forget(ANN);
    const unknown = await forget(entityId('person', 'unknown'));

    expect(first.stdout).toMatch(
      /^[0-9a-f]{32} was forgotten at .*\n {2}entities deleted now: 1, relationships: 1\n/,
    );
    expect(again.stdout).toMatch(/\n {2}entities deleted now: 0, relationships: 0\n/);
    expect(unknown.stderr).toContain('no such entity, also none that was deleted');
    const store = join(directory, 'store');
    for (const name of await readdir(store))
      expect((await readFile(join(store, name))).includes(MARKER)).toBe(false);
    expect((await service.call('GET', `/v1/entities/${ANN}`, undefined, headers)).status).toBe(404);
    expect((await service.call('GET', `/v1/entities/${BOB}`, undefined, headers)).status).toBe(200);
  });

  it('has a line in the audit trail, with the id and nothing else of the entity', async () => {
    const trail = await readFile(join(directory, 'audit.jsonl'), 'utf8');

    const lines = trail.split('\n').filter((line) => line.includes('/forget'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines[0]).toContain(ANN);
    expect(lines.join()).not.toContain(MARKER);
  });
});

describe('an entity that everything says something of', () => {
  const ann = new PersonEverywhere('Zk4wAnn');
  let directory: string;
  let service: TestService;
  const call: Call = (method, path, body) =>
    service.json(method === 'POST' && path === '/v1/ingest/sessions' ? 201 : 200, method, path, body);
  const post = (path: string, body: object = {}): Promise<Json> => call('POST', path, body);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-forget-'));
    const notifications = join(directory, 'notifications.yaml');
    const channel = `{ type: file, path: "${join(directory, 'messages')}" }`;
    await writeFile(
      notifications,
      `channels: { ops: ${channel} }\nnotifications: [{ on: [opened, changed], to: ops }]\n`,
    );
    service = await TestService.start({
      directory: join(directory, 'store'),
      environment: { PLEXUS_NOTIFICATIONS: notifications },
    });
    await ann.state(call);
  });
  afterEach(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('is in no file afterwards, but in what people wrote, which the reply names', async () => {
    const store = join(directory, 'store');
    expect(await ann.filesIn(store)).not.toEqual([]);

    const reply = await post(`/v1/entities/${ann.id}/forget`);
    await service.call('DELETE', '/v1/queries/hers');
    const again = await post(`/v1/entities/${ann.id}/forget`);

    expect(reply['naming']).toEqual([{ kind: 'saved query', id: 'hers', until: null }]);
    expect(Number(reply['documents_changed'])).toBeGreaterThan(0);
    expect(again).toMatchObject({ naming: null, documents_changed: 0, files_left: [] });
    expect(await ann.filesIn(store)).toEqual([]);
  });

  it('reaches readers of changes that are behind as a record to forget, with each filter', async () => {
    const owns = relationshipId(ann.id, 'OWNS', entityId('host', 'web-01'), undefined);
    await post(`/v1/entities/${ann.id}/forget`);

    for (const filter of ['', '&class=Host', `&query=${encodeURIComponent("FIND host WITH _key = 'x'")}`]) {
      const { text } = await service.call('GET', `/v1/changes?from=0${filter}`);
      const told = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { readonly change?: string; readonly forgotten?: object })
        .filter(({ change }) => change === 'forgotten');
      expect(told.map(({ forgotten }) => forgotten)).toEqual([
        { record: 'entity', id: ann.id },
        { record: 'relationship', id: owns },
      ]);
      expect(text).not.toContain(ann.key);
    }
  });

  it('is in nothing that is written later, of what has begun before', async () => {
    await service.call('DELETE', '/v1/queries/hers');
    await post(`/v1/entities/${ann.id}/forget`);

    const evaluation = await post('/v1/policies/evaluate');
    const messages = await call('GET', '/v1/notifications');
    await service.stop();

    expect(JSON.stringify([evaluation, messages])).not.toContain(ann.key);
    expect(await ann.filesIn(join(directory, 'store'))).toEqual([]);
  });
});
