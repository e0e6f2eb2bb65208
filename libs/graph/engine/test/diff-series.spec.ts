/**
 * Series of bundles, synced one after another by one connector. The expected changes of each step are
 * computed by plain comparison of the bundles' objects, without the graph's code.
 */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { NodeDisk } from '#platform/disk';
import type { SyncReply } from '../src/index.ts';
import { GraphHarness } from './graph-harness.ts';
import { type StixBundle, type StixObject, stixSync } from './stix-sync.ts';

const ATTACK_ICS = ['16.1', '17.1', '18.1'];
const dataDirectory = process.env['PLEXUS_TEST_DATA'];

/**
 * A small series: a changed entity, a new one, a deleted one with its relationship, and a relationship of the
 * new one.
 */
const OWN_SERIES: readonly StixBundle[] = [
  {
    objects: [
      { type: 'malware', id: 'malware--1', name: 'Worm', is_family: true },
      { type: 'tool', id: 'tool--1', name: 'Scanner' },
      { type: 'identity', id: 'identity--1', name: 'Someone', sectors: ['energy'] },
      link('1', 'uses', 'malware--1', 'tool--1'),
      link('2', 'targets', 'malware--1', 'identity--1'),
    ],
  },
  {
    objects: [
      { type: 'malware', id: 'malware--1', name: 'Worm', is_family: false },
      { type: 'identity', id: 'identity--1', name: 'Someone', sectors: ['energy'] },
      { type: 'campaign', id: 'campaign--1', name: 'Spring' },
      link('2', 'targets', 'malware--1', 'identity--1'),
      link('3', 'attributed-to', 'campaign--1', 'identity--1'),
    ],
  },
  { objects: [{ type: 'identity', id: 'identity--1', name: 'Someone', sectors: ['energy', 'water'] }] },
];

describe('a series of syncs', () => {
  it('has the counts of a plain comparison of its bundles', async () => {
    const { replies, expected } = await syncSeries(OWN_SERIES);

    expect(replies).toEqual(expected);
    expect(expected[1]).toMatchObject({ entities_created: 1, entities_updated: 1, entities_deleted: 1 });
  });

  if (dataDirectory === undefined) {
    // Printed, so that a run without the data is not mistaken for a complete one.
    process.stderr.write(
      'ATT&CK for ICS series NOT RUN: set PLEXUS_TEST_DATA to the folder that holds attack-ics/\n',
    );
  } else {
    it('has the counts of a plain comparison of the ATT&CK for ICS bundles', async () => {
      const bundles = await Promise.all(ATTACK_ICS.map((version) => readBundle(dataDirectory, version)));

      const { replies, expected } = await syncSeries(bundles);

      expect(replies).toEqual(expected);
    });
  }
});

async function readBundle(directory: string, version: string): Promise<StixBundle> {
  const path = join(directory, 'attack-ics', `ics-attack-${version}.json`);
  const bytes = await new NodeDisk().readBytes(path);
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as StixBundle;
}

/** Syncs the bundles in order, each of them twice, with a restart before each. */
async function syncSeries(
  bundles: readonly StixBundle[],
): Promise<{ replies: unknown[]; expected: object[] }> {
  const harness = await GraphHarness.opened();
  const replies: unknown[] = [];
  const expected: object[] = [];
  for (const [index, bundle] of bundles.entries()) {
    harness.clock.turn(1_000);
    // A release may drop all relationships of a verb, which the deletion limit would reject.
    const request = { ...stixSync(bundle, 'stix', `step-${String(index)}`), force: true };
    const reply = await harness.graph.sync(request, {});
    await harness.reopen();
    expect(await harness.graph.sync(request, {})).toEqual(reply);
    replies.push(countsOf(reply));
    expected.push(compare(bundles[index - 1]?.objects ?? [], bundle.objects));
    expect(liveCounts(harness)).toEqual(sizes(bundle.objects));
  }
  await harness.close();
  return { replies, expected };
}

function countsOf(reply: SyncReply): object {
  return Object.fromEntries(Object.entries(reply).filter(([, value]) => typeof value === 'number'));
}

function liveCounts(harness: GraphHarness): object {
  const { entities, relationships } = harness.records();
  const isLive = (record: { readonly deleted_at: string | null }): boolean => record.deleted_at === null;
  return { entities: entities.filter(isLive).length, relationships: relationships.filter(isLive).length };
}

function sizes(objects: readonly StixObject[]): object {
  const { entities, relationships } = split(objects);
  return { entities: entities.size, relationships: relationships.size };
}

/** Counts of added, changed, unchanged and removed ids; another end makes another relationship. */
function compare(before: readonly StixObject[], after: readonly StixObject[]): object {
  const old = split(before);
  const now = split(after);
  return {
    ...changes('entities', old.entities, now.entities),
    ...changes('relationships', old.relationships, now.relationships),
  };
}

function split(objects: readonly StixObject[]): Record<'entities' | 'relationships', Map<string, string>> {
  const entities = new Map<string, string>();
  const relationships = new Map<string, string>();
  for (const object of objects) {
    const content = JSON.stringify(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
    const { type, id, source_ref: from = '', target_ref: to = '', relationship_type: verb = '' } = object;
    if (type === 'relationship') relationships.set([from, verb, to, id].join(' '), content);
    else entities.set(`${type} ${id}`, content);
  }
  return { entities, relationships };
}

function changes(name: string, old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): object {
  const kept = [...now].filter(([id]) => old.has(id));
  return {
    [`${name}_created`]: now.size - kept.length,
    [`${name}_updated`]: kept.filter(([id, content]) => old.get(id) !== content).length,
    [`${name}_unchanged`]: kept.filter(([id, content]) => old.get(id) === content).length,
    [`${name}_deleted`]: [...old.keys()].filter((id) => !now.has(id)).length,
  };
}

function link(id: string, verb: string, from: string, to: string): StixObject {
  const ends = { source_ref: from, target_ref: to };
  return { type: 'relationship', id: `relationship--${id}`, relationship_type: verb, ...ends };
}
