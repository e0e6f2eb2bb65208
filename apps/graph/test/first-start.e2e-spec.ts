import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstStart, STARTER_QUERIES } from '#graph/api/http';
import { Graph } from '#graph/engine';
import { isKnownClass, isKnownVerb } from '#graph/model';
import { QueryEngine, SavedQueries } from '#graph/query';
import { NodeDisk } from '#platform/disk';
import { systemClock } from '#platform/foundation';
import { TestService } from './support/test-service.ts';

const OWN_LOCK_FILE = join(import.meta.dirname, '../../../package-lock.json');
const disk = new NodeDisk();
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('a first start', () => {
  let directory: string;
  let graph: Graph;
  let queries: SavedQueries;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'plexus-first-start-'));
    graph = await Graph.open({ directory: join(directory, 'data'), disk });
    queries = await SavedQueries.open(graph.documents, systemClock, log);
  });

  afterEach(async () => {
    await graph.close();
    rmSync(directory, { recursive: true });
  });

  it('loads the lock file into an empty graph', async () => {
    const reply = await firstStart({ graph, disk, log, queries, lockFile: OWN_LOCK_FILE });

    expect(reply?.entities_created).toBeGreaterThan(100);
    expect(graph.stats().total_entities).toBe(reply?.entities_created);
    expect(graph.stats().total_relationships).toBe(reply?.relationships_created);
    expect(reply?.warnings).toEqual([]);
  });

  it('does not change a graph that was written to', async () => {
    await graph.write({ entities: [{ type: 'host', key: 'a', properties: {} }], relationships: [] });

    const reply = await firstStart({ graph, disk, log, queries, lockFile: OWN_LOCK_FILE });

    expect(reply).toBeUndefined();
    expect(graph.stats().total_entities).toBe(1);
  });

  it('loads nothing from an invalid lock file, and reports the error', async () => {
    const path = join(directory, 'package-lock.json');
    writeFileSync(path, '{"lockfileVersion":99}');

    await expect(firstStart({ graph, disk, log, queries, lockFile: path })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(graph.stats().total_entities).toBe(0);
  });

  it('saves the example queries', async () => {
    await firstStart({ graph, disk, log, queries, lockFile: OWN_LOCK_FILE });

    expect(queries.list().map(({ name }) => name)).toEqual(STARTER_QUERIES.map(({ name }) => name).sort());
  });

  it('resumes after an interruption between the lock file and the queries', async () => {
    const broken = { change: () => Promise.reject(new Error('the process ends here')) };
    await expect(
      firstStart({ graph, disk, log, queries: broken, lockFile: OWN_LOCK_FILE }),
    ).rejects.toThrow();
    const entities = graph.stats().total_entities;
    await graph.close();
    graph = await Graph.open({ directory: join(directory, 'data'), disk });
    queries = await SavedQueries.open(graph.documents, systemClock, log);

    const reply = await firstStart({ graph, disk, log, queries, lockFile: OWN_LOCK_FILE });

    expect([graph.stats().total_entities, reply?.entities_created]).toEqual([entities, entities]);
    expect(queries.list()).toHaveLength(STARTER_QUERIES.length);
    await queries.change([], 'replace');
    expect(await firstStart({ graph, disk, log, queries, lockFile: OWN_LOCK_FILE })).toBeUndefined();
    expect(queries.list()).toEqual([]);
  });

  it('does not mistake a store with one foreign write for its own', async () => {
    await graph.sync({ connectorId: 'sbom', syncId: 'of-a-person', entities: [], relationships: [] });

    expect(await firstStart({ graph, disk, log, queries, lockFile: OWN_LOCK_FILE })).toBeUndefined();
    expect(queries.list()).toEqual([]);
  });

  it.each(
    STARTER_QUERIES.flatMap(({ name, text, shortText, parameters }) => [
      { name, pql: text, parameters },
      { name: `${name}, in short`, pql: shortText, parameters: {} },
    ]),
  )('can be asked: $name', async ({ pql, parameters }) => {
    await firstStart({ graph, disk, log, queries, lockFile: OWN_LOCK_FILE });
    const engine = new QueryEngine({ vocabulary: { hasClass: isKnownClass, hasVerb: isKnownVerb } });
    const snapshot = graph.snapshot();

    const values = Object.entries(parameters).map(([name, parameter]) => [name, parameter.default]);
    const params = Object.fromEntries(values) as Readonly<Record<string, unknown>>;
    const result = await engine.run(snapshot, pql, { params });

    snapshot.release();
    expect(result.count).toBeGreaterThan(2);
    expect(result.warnings.filter(({ code }) => code !== 'DEPTH_LIMIT')).toEqual([]);
  });
});

describe('the service at a first start', () => {
  it('has evaluated its rules over the loaded data before the first request', async () => {
    const environment = { PLEXUS_RULES: join(import.meta.dirname, '../../../rules/starter') };
    const service = await TestService.start({ environment, firstStart: OWN_LOCK_FILE });
    await service.policies.idle();

    const evaluations = await service.json(200, 'GET', '/v1/policies/evaluations');
    const history = await service.json(200, 'GET', '/v1/policies/posture/history');
    const posture = await service.json(200, 'GET', '/v1/policies/posture');
    await service.stop();

    expect(evaluations['evaluations']).toEqual([expect.objectContaining({ trigger: 'first_start' })]);
    expect(history['points']).toEqual([
      expect.objectContaining({ trigger: 'first_start', overall_score: posture['overall_score'] }),
    ]);
    expect(posture).toMatchObject({
      rules_with_data: expect.any(Number),
      controls: expect.arrayContaining([
        expect.objectContaining({ status: 'Pass' }),
        expect.objectContaining({ status: expect.stringMatching(/^(Fail|Partial)$/) }),
        expect.objectContaining({ status: 'NoData' }),
      ]),
    });
    expect(posture['rules_with_data']).toBeGreaterThanOrEqual(9);
  });
});
