/**
 * Releases of ATT&CK for ICS, synced one after another by the STIX connector of a running service. The
 * expected effect of each sync is computed independently, by comparing the bundles.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { type Json, TestService } from './support/test-service.ts';
import { describeUnless } from '#testing';

const DATA = process.env['PLEXUS_TEST_DATA'];

type StixObject = Readonly<Record<string, unknown>>;

/** The content of each record by name; a change of it is a change of the record. */
type Contents = ReadonlyMap<string, string>;

interface Release {
  readonly entities: Contents;
  readonly relationships: Contents;
}

const NOTHING: Release = { entities: new Map(), relationships: new Map() };
const describeWithData = describeUnless(DATA !== undefined ? undefined : 'PLEXUS_TEST_DATA is not set');

describeWithData('ATT&CK for ICS, release after release', () => {
  let directory: string;
  let service: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-attack-'));
    const types = firstPartyConnectors(new NodeDisk());
    const file = join(directory, 'attack.yaml');
    const connector = readConnector('connector: stix\nconfig: { file: attack.json }', file, {
      types,
      environment: {},
    });
    service = await TestService.start({ connectors: [connector] });
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function sync(release: string): Promise<RunRecord> {
    await copyFile(pathOf(release), join(directory, 'attack.json'));
    let run = (await service.json(202, 'POST', '/v1/connectors/attack/run', {
      force: true,
    })) as object as RunRecord;
    while (run.ended_at === null) {
      run = (await service.json(200, 'GET', `/v1/connectors/runs/${run.run_id}`)) as object as RunRecord;
    }
    return run;
  }

  it.each([
    [undefined, '16.1'],
    ['16.1', '16.1'],
    ['16.1', '17.1'],
    ['17.1', '18.1'],
    ['18.1', '16.1'],
  ])('from %s to %s changes what a plain comparison says', async (before, after) => {
    const old = before === undefined ? NOTHING : await readRelease(before);
    const now = await readRelease(after);

    const run = await sync(after);
    const stats = await service.json(200, 'GET', '/v1/stats');

    expect(run).toMatchObject({ status: 'complete', unresolved_count: 0 });
    expect(run.sync).toMatchObject({
      ...changes('entities', old.entities, now.entities),
      ...changes('relationships', old.relationships, now.relationships),
    });
    expect([stats['total_entities'], stats['total_relationships']]).toEqual([
      now.entities.size,
      now.relationships.size,
    ]);
  });

  it('compares releases with additions, changes and removals', async () => {
    const [old = NOTHING, now = NOTHING] = await Promise.all(['16.1', '17.1'].map(readRelease));

    const counts = {
      ...changes('entities', old.entities, now.entities),
      ...changes('relationships', old.relationships, now.relationships),
    };
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  });

  it('ends with the text of the last release', async () => {
    const objects = await readObjects('16.1');
    const { entities } = await service.query('FIND *', { limit: 10_000 });

    const names = (list: readonly (StixObject | Json)[], id: string, name: string) =>
      list.map((each) => `${String(each[id])} ${String(each[name] ?? each[id])}`).sort();
    const expected = objects.filter(({ type }) => type !== 'relationship');
    expect(names(entities, 'key', 'display_name')).toEqual(names(expected, 'id', 'name'));
  });
});

function pathOf(release: string): string {
  return join(DATA ?? '', `attack-ics/ics-attack-${release}.json`);
}

async function readObjects(release: string): Promise<readonly StixObject[]> {
  return (JSON.parse(await readFile(pathOf(release), 'utf8')) as { objects: StixObject[] }).objects;
}

async function readRelease(release: string): Promise<Release> {
  const objects = await readObjects(release);
  const things = objects.filter(({ type }) => type !== 'relationship');
  const ids = new Set(things.map(({ id }) => id));
  const entities = new Map(things.map((object) => [String(object['id']), contentOf(object)]));
  const relationships = new Map<string, string>();
  const tactics = new Map(things.map(({ id, x_mitre_shortname: name }) => [name, id]));
  for (const object of objects) {
    for (const { phase_name: phase } of (object['kill_chain_phases'] ?? []) as readonly StixObject[]) {
      relationships.set([object['id'], 'kill_chain_phases', tactics.get(phase)].join(' '), '');
    }
    if (object['type'] === 'relationship') {
      const { source_ref: from, relationship_type: verb, target_ref: to, id } = object;
      relationships.set([from, verb, to, id].join(' '), contentOf(object));
      continue;
    }
    for (const [path, to] of referencesOf(object, '')) {
      if (ids.has(to)) relationships.set([object['id'], path, to].join(' '), '');
    }
  }
  return { entities, relationships };
}

/** Every text under a name that ends in `_ref` or `_refs`, at any depth, with the names that lead to it. */
function* referencesOf(value: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof value === 'string') {
    if (/_refs?$/.test(path)) yield [path, value];
  } else if (Array.isArray(value)) {
    for (const item of value) yield* referencesOf(item, path);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* referencesOf(inner, `${path}.${name}`);
  }
}

function contentOf(object: StixObject): string {
  return JSON.stringify(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function changes(name: string, old: Contents, now: Contents): Readonly<Record<string, number>> {
  const kept = [...now].filter(([id]) => old.has(id));
  return {
    [`${name}_created`]: now.size - kept.length,
    [`${name}_updated`]: kept.filter(([id, content]) => old.get(id) !== content).length,
    [`${name}_unchanged`]: kept.filter(([id, content]) => old.get(id) === content).length,
    [`${name}_deleted`]: [...old.keys()].filter((id) => !now.has(id)).length,
  };
}
