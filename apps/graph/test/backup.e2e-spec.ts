import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Graph } from '#graph/engine';
import { runProgram } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { graphProgram } from '../src/cli/program.ts';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

describe('a backup of a running server', () => {
  let service: TestService;
  let directory: string;
  let url: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-backup-'));
    service = await TestService.start();
    url = service.url;
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('restores to a store with the same answers', async () => {
    const [file, dataDir] = [join(directory, 'one.backup'), join(directory, 'restored')];

    const backup = await runProgram(graphProgram(), ['backup', file, '--url', url]);
    await service.json(200, 'POST', '/v1/ingest/write', { entities: [{ type: 'late', key: 'one' }] });
    const restore = await runProgram(graphProgram(), ['restore', file, '--data-dir', dataDir]);

    expect([backup, restore]).toEqual([0, 0]);
    const graph = await Graph.open({ directory: dataDir, disk: new NodeDisk() });
    const { total_entities, total_relationships } = graph.stats();
    await graph.close();
    expect([total_entities, total_relationships]).toEqual([
      ESTATE.entities.length,
      ESTATE.relationships.length,
    ]);
  });

  it('contains the saved queries', async () => {
    const [file, dataDir] = [join(directory, 'queries.backup'), join(directory, 'queries')];
    await service.json(200, 'PUT', '/v1/queries/hosts', { text: 'FIND host' });

    await runProgram(graphProgram(), ['backup', file, '--url', url]);
    await runProgram(graphProgram(), ['restore', file, '--data-dir', dataDir]);

    const restored = await TestService.start({ directory: dataDir });
    const queries = await restored.json(200, 'GET', '/v1/queries');
    await restored.stop();
    expect(queries).toEqual(await service.json(200, 'GET', '/v1/queries'));
    expect(queries['count']).toBe(1);
  });

  it('contains the decisions on findings and their assignments', async () => {
    const [file, dataDir] = [join(directory, 'decisions.backup'), join(directory, 'decisions')];
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await service.json(200, 'POST', '/v1/policies', { rules: [{ id: 'hosts', query: 'FIND host' }] });
    await service.json(200, 'POST', '/v1/policies/evaluate', { rule_ids: ['hosts'] });
    const { findings } = await service.json(200, 'GET', '/v1/findings?rule=hosts');
    const [one, two, three] = (findings as readonly { readonly finding_id: string }[]).map(
      ({ finding_id: id }) => `/v1/findings/${encodeURIComponent(id)}`,
    );
    await service.json(200, 'PUT', `${one}/decision`, { state: 'waived', reason: 'a test', until });
    await service.json(200, 'PUT', `${two}/decision`, { state: 'accepted', reason: 'known', until });
    await service.json(200, 'PUT', `${three}/assignment`, { assignee: 'ann' });
    const listed = await service.json(200, 'GET', '/v1/findings?rule=hosts&state=open,waived,accepted');

    await runProgram(graphProgram(), ['backup', file, '--url', url]);
    await runProgram(graphProgram(), ['restore', file, '--data-dir', dataDir]);

    const restored = await TestService.start({ directory: dataDir });
    const kept = await restored.json(200, 'GET', '/v1/findings?rule=hosts&state=open,waived,accepted');
    await restored.stop();
    // A decision has its rule evaluated again, now or after the restore.
    const stable = (reply: object): string =>
      JSON.stringify(reply, (name, value: unknown) => (name === 'evaluated_at' ? '' : value));
    expect(stable({ findings: kept['findings'] })).toBe(stable({ findings: listed['findings'] }));
    for (const text of ['"state":"waived"', '"a test"', '"state":"accepted"', '"known"', until])
      expect(stable(kept)).toContain(text);
    expect(kept['assignees']).toEqual(['ann']);
  });

  it('is readable by its owner only, and so is the restored directory', async () => {
    const [file, dataDir] = [join(directory, 'modes.backup'), join(directory, 'modes')];
    await runProgram(graphProgram(), ['backup', file, '--url', url]);
    await runProgram(graphProgram(), ['restore', file, '--data-dir', dataDir]);

    const modes = await Promise.all(
      [file, ...(await readdir(dataDir)).map((name) => join(dataDir, name))].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );

    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });

  it('is rejected if it is truncated or the target is not empty', async () => {
    const [file, cut] = [join(directory, 'two.backup'), join(directory, 'cut.backup')];
    await runProgram(graphProgram(), ['backup', file, '--url', url]);
    const bytes = await readFile(file);
    await writeFile(cut, bytes.subarray(0, bytes.length - 20));
    const [empty, full] = [join(directory, 'empty'), join(directory, 'full')];
    await mkdir(full);
    await writeFile(join(full, 'mine'), 'x');

    const codes = [
      await runProgram(graphProgram(), ['restore', cut, '--data-dir', empty]),
      await runProgram(graphProgram(), ['restore', file, '--data-dir', full]),
      await runProgram(graphProgram(), ['backup', file, '--url', url]),
      await runProgram(graphProgram(), ['backup', '-', '--data-dir', full]),
    ];

    expect(codes).toEqual([1, 1, 1, 2]);
    expect(await readdir(empty)).toEqual([]);
    expect(await readdir(full)).toEqual(['mine']);
    expect((await readFile(file)).equals(bytes)).toBe(true);
  });

  it('requires the key, and does not block writes while its client does not read', async () => {
    const guarded = await TestService.start({ environment: { PLEXUS_API_KEY: 'secret' } });
    const key = { Authorization: 'Bearer secret' };
    const refused = await guarded.call('GET', '/v1/backup');
    const stalled = await Promise.all([1, 2].map(() => fetch(`${guarded.url}/v1/backup`, { headers: key })));

    const written = await guarded.call(
      'POST',
      '/v1/ingest/write',
      { entities: [{ type: 'host', key: 'w' }] },
      key,
    );

    for (const { body } of stalled) await body?.cancel();
    await guarded.stop();
    expect([refused.status, written.status]).toEqual([401, 200]);
    expect(stalled.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('a key with characters that a header cannot carry', () => {
  it.each(['   ', 'schlüssel', 'two words', 'tab\there'])('%j is refused at start', async (key) => {
    await expect(TestService.start({ environment: { PLEXUS_API_KEY: key } })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(
        'PLEXUS_API_KEY: expected visible ASCII characters without blanks',
      ) as unknown,
    });
  });
});
