import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstStart } from '#graph/api';
import { Graph } from '#graph/engine';
import { isKnownClass, isKnownVerb } from '#graph/model';
import { QueryEngine } from '#graph/query';
import { NodeDisk } from '#platform/disk';
import { FIRST_QUESTIONS } from '../src/cli/welcome.ts';

const OWN_LOCK_FILE = join(import.meta.dirname, '../../../package-lock.json');
const disk = new NodeDisk();
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('a first start', () => {
  let directory: string;
  let graph: Graph;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'plexus-first-start-'));
    graph = await Graph.open({ directory: join(directory, 'data'), disk });
  });

  afterEach(async () => {
    await graph.close();
    rmSync(directory, { recursive: true });
  });

  it('loads the lock file into an empty graph', async () => {
    const reply = await firstStart({ graph, disk, log, lockFile: OWN_LOCK_FILE });

    expect(reply?.entities_created).toBeGreaterThan(100);
    expect(graph.stats().total_entities).toBe(reply?.entities_created);
    expect(graph.stats().total_relationships).toBe(reply?.relationships_created);
    expect(reply?.warnings).toEqual([]);
  });

  it('leaves a graph alone that was written to', async () => {
    await graph.write({ entities: [{ type: 'host', key: 'a', properties: {} }], relationships: [] });

    const reply = await firstStart({ graph, disk, log, lockFile: OWN_LOCK_FILE });

    expect(reply).toBeUndefined();
    expect(graph.stats().total_entities).toBe(1);
  });

  it('loads nothing of a file that is no lock file, and says what is wrong', async () => {
    const path = join(directory, 'package-lock.json');
    writeFileSync(path, '{"lockfileVersion":1}');

    await expect(firstStart({ graph, disk, log, lockFile: path })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(graph.stats().total_entities).toBe(0);
  });

  it.each(FIRST_QUESTIONS)('can be asked: $question', async ({ pql }) => {
    await firstStart({ graph, disk, log, lockFile: OWN_LOCK_FILE });
    const engine = new QueryEngine({ vocabulary: { hasClass: isKnownClass, hasVerb: isKnownVerb } });
    const snapshot = graph.snapshot();

    const result = await engine.run(snapshot, pql);

    snapshot.release();
    expect(result.count).toBeGreaterThan(2);
    expect(result.warnings.filter(({ code }) => code !== 'DEPTH_LIMIT')).toEqual([]);
  });
});
