import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entityId } from '#graph/model';
import { runProgram } from './support/built-program.ts';
import { TestService } from './support/test-service.ts';

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
