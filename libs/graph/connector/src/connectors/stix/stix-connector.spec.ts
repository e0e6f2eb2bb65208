import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { connectorMatchers } from '../../kit/matchers.ts';
import { emittedEntity, runConnector } from '../../kit/run-connector.ts';
import { readStixBundle } from './stix-bundle.ts';
import { stixConnector } from './stix-connector.ts';
import { describeUnless } from '#testing';

const DATA = process.env['PLEXUS_TEST_DATA'];

const bundle = (...objects: readonly object[]) =>
  JSON.stringify({ type: 'bundle', id: 'bundle--1', objects });

describe('readStixBundle', () => {
  it('keeps integers beyond the exact range', () => {
    const text = bundle({ type: 'artifact', id: 'artifact--1', size: 7, account: 0, nested: { id: 1 } })
      .replace('"account":0', '"account":9007199254740993')
      .replace('"id":1}', '"id":-9007199254740993}');
    const { entities } = readStixBundle(text);

    expect(entities[0]?.properties).toMatchObject({
      size: 7,
      account: 9_007_199_254_740_993n,
      nested: '{"id":"-9007199254740993"}',
    });
  });

  it('creates entities for objects and relationships for relationship objects', () => {
    const { entities, relationships, external } = readStixBundle(
      bundle(
        {
          type: 'malware',
          id: 'malware--1',
          name: 'Worm',
          is_family: true,
          labels: ['a'],
          created_by_ref: 'identity--1',
        },
        { type: 'identity', id: 'identity--1', name: 'MITRE' },
        { type: 'attack-pattern', id: 'attack-pattern--1', external_references: [{ external_id: 'T1' }] },
        {
          type: 'relationship',
          id: 'relationship--1',
          relationship_type: 'attributed-to',
          source_ref: 'malware--1',
          target_ref: 'identity--1',
        },
      ),
    );

    expect(entities).toMatchObject([
      {
        type: 'malware',
        key: 'malware--1',
        display_name: 'Worm',
        properties: { is_family: true, labels: ['a'] },
      },
      { type: 'identity', class: 'Organization' },
      { type: 'attack_pattern', properties: { external_id: 'T1' } },
    ]);
    expect(relationships.map(({ verb, key }) => [verb, key])).toEqual([
      ['CREATED_BY', undefined],
      ['ATTRIBUTED_TO', 'relationship--1'],
    ]);
    expect(external).toEqual([]);
  });

  it('reports a relationship whose end is missing from the bundle', () => {
    const relationship = {
      type: 'relationship',
      id: 'r--1',
      relationship_type: 'uses',
      source_ref: 'x',
      target_ref: 'y',
    };

    expect(readStixBundle(bundle(relationship)).external).toEqual([
      {
        owner: { type: 'relationship', key: 'r--1' },
        end: 'from',
        verb: 'USES',
        reason: 'r--1: an end of it is not in the bundle',
      },
    ]);
  });

  it('uses the last modified of several versions of an object', () => {
    const version = (modified: string) => ({ type: 'tool', id: 'tool--1', name: modified, modified });

    const { entities } = readStixBundle(
      bundle(version('2024-01-02T00:00:00Z'), version('2023-01-02T00:00:00Z')),
    );

    expect(entities.map((entity) => entity.display_name)).toEqual(['2024-01-02T00:00:00Z']);
  });

  it('links techniques with the tactics of their kill chain', () => {
    const tactic = (id: string, domain: string) => ({
      type: 'x-mitre-tactic',
      id,
      x_mitre_shortname: 'impact',
      x_mitre_domains: [domain],
    });
    const technique = (id: string, chain: string, phase = 'impact') => ({
      type: 'attack-pattern',
      id,
      kill_chain_phases: [{ kill_chain_name: chain, phase_name: phase }],
    });

    const { entities, relationships, unresolved } = readStixBundle(
      bundle(
        tactic('t--ics', 'ics-attack'),
        tactic('t--ent', 'enterprise-attack'),
        technique('a--1', 'mitre-ics-attack'),
        technique('a--2', 'mitre-attack'),
        technique('a--3', 'mitre-attack', 'nonsense'),
      ),
    );

    expect(relationships.map(({ from, verb, to }) => [from.key, verb, to.key])).toEqual([
      ['a--1', 'HAS_TACTIC', 't--ics'],
      ['a--2', 'HAS_TACTIC', 't--ent'],
    ]);
    expect(unresolved).toMatchObject([
      { verb: 'HAS_TACTIC', reason: 'a--3: no tactic is the phase nonsense of mitre-attack' },
    ]);
    expect(entities.find(({ key }) => key === 'a--1')?.properties).toMatchObject({
      kill_chain_phases: ['impact'],
      kill_chains: ['mitre-ics-attack'],
    });
  });

  it.each([
    ['{', 'expected a STIX bundle, got text that is not JSON at column 2'],
    ['7', 'expected a STIX bundle, got a number'],
    ['{"type":"report"}', 'expected a STIX bundle, got another JSON object: its type is not "bundle"'],
    ['{"type":"report","id":"report--1"}', 'expected a STIX bundle, got a single STIX object, report'],
    [
      '{"more":true,"objects":[]}',
      'expected all pages of the collection, got an envelope that says that there are more',
    ],
    ['{"more":false,"objects":7}', 'objects: expected a list, got a number'],
    ['{"type":"bundle"}', 'expected a STIX bundle, got one without objects, of which nothing can be said'],
    [
      '{"type":"bundle","objects":null}',
      'expected a STIX bundle, got one without objects, of which nothing can be said',
    ],
    ['{"type":"bundle","objects":7}', 'objects: expected a list, got a number'],
  ])('refuses %s', (text, message) => {
    expect(() => readStixBundle(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message }));
  });
});

describe('a bundle with objects that cannot be read', () => {
  it('is read without them, and keeps what they may have been', () => {
    const { entities, relationships, skipped } = readStixBundle(
      JSON.stringify({
        type: 'bundle',
        objects: [
          { type: 'tool' },
          null,
          { id: 'malware--1', external_references: 7 },
          { type: 'tool', id: 'tool--1', external_references: [null, { external_id: 'S1' }] },
          { type: 'relationship', id: 'relationship--1', relationship_type: 'uses', source_ref: 'tool--1' },
          { type: 'relationship', id: 'relationship--2', source_ref: 'tool--1', target_ref: 'malware--1' },
        ],
      }),
    );

    expect(entities.map(({ type, key }) => [type, key])).toEqual([
      ['malware', 'malware--1'],
      ['tool', 'tool--1'],
    ]);
    expect(relationships).toEqual([]);
    expect(skipped).toEqual([
      {
        types: ['tool'],
        reason: 'objects[0]: expected a STIX object, got an object without an id; it is left out',
      },
      { types: [], reason: 'objects[1]: expected a STIX object, got null; it is left out' },
      {
        types: ['USES'],
        reason: 'relationship--1: a relationship without source_ref or target_ref; it is left out',
      },
      { types: [], reason: 'relationship--2: a relationship without relationship_type; it is left out' },
    ]);
  });

  it('ends a run as partial', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-stix-'));
    const file = join(directory, 'bundle.json');
    const objects = [{ type: 'tool' }, { type: 'tool', id: 'tool--1' }];
    await writeFile(file, JSON.stringify({ type: 'bundle', objects }));

    const { report } = await runConnector(stixConnector(new NodeDisk()), { config: { file } });
    await rm(directory, { recursive: true });

    expect(report).toMatchObject({
      status: 'partial',
      partial_types: ['tool'],
      entities: 1,
      warning_count: 1,
    });
  });
});

const describeWithData = describeUnless(DATA !== undefined ? undefined : 'PLEXUS_TEST_DATA is not set');

describeWithData('the STIX connector over ATT&CK for ICS', () => {
  it.each(['16.1', '17.1', '18.1'])('reads release %s without a loose end', async (release) => {
    const file = join(DATA ?? '', `attack-ics/ics-attack-${release}.json`);

    const run = await runConnector(stixConnector(new NodeDisk()), { config: { file } });

    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    const text = JSON.parse(await new NodeDisk().readText(file)) as {
      objects: { id: string; type: string }[];
    };
    const ids = new Set(text.objects.filter(({ type }) => type !== 'relationship').map(({ id }) => id));
    expect(run.report.entities).toBe(ids.size);
  });

  it.each(['16.1', '17.1', '18.1'])('reads every object and reference of release %s', async (release) => {
    const file = join(DATA ?? '', `attack-ics/ics-attack-${release}.json`);
    const { objects } = JSON.parse(await new NodeDisk().readText(file)) as { objects: Counted[] };
    const counts = countsOf(objects);

    const { entities, relationships, report } = await runConnector(stixConnector(new NodeDisk()), {
      config: { file },
    });

    const made = relationships.map(({ from, to, properties }) => ({
      from,
      to,
      path: properties['reference'],
    }));
    const references = made.filter(({ path }) => path !== undefined);
    expect(entities.map(({ key }) => key).sort()).toEqual(counts.entities);
    expect(references.map(({ from, to, path }) => `${from.key} ${String(path)} ${to.key}`).sort()).toEqual(
      counts.references,
    );
    expect(relationships.filter(({ key }) => key?.startsWith('relationship--'))).toHaveLength(
      counts.relationshipCount,
    );
    expect(report).toMatchObject({
      status: 'complete',
      external_count: counts.externalCount,
      ignored: {},
    });
  });

  it('finds a tactic for every phase of every technique', async () => {
    const file = join(DATA ?? '', 'attack-ics/ics-attack-18.1.json');

    const run = await runConnector(stixConnector(new NodeDisk()), { config: { file } });

    const { objects } = JSON.parse(await new NodeDisk().readText(file)) as {
      objects: { kill_chain_phases?: object[] }[];
    };
    const phases = objects.flatMap(({ kill_chain_phases: own = [] }) => own);
    expect(phases.length).toBeGreaterThan(90);
    const linked = run.relationships.filter(
      ({ from, verb }) => from.type === 'attack_pattern' && verb === 'HAS_TACTIC',
    );
    expect(linked).toHaveLength(phases.length);
  });

  it('keeps the catalogue’s own names', async () => {
    const file = join(DATA ?? '', 'attack-ics/ics-attack-18.1.json');

    const run = await runConnector(stixConnector(new NodeDisk()), { config: { file } });

    const technique = run.entities.find(({ properties }) => properties['external_id'] === 'T0800');
    expect(technique).toMatchObject({ type: 'attack_pattern', displayName: 'Activate Firmware Update Mode' });
    expect(emittedEntity(run, 'attack_pattern', technique?.key ?? '')).toBe(technique);
  });
});

interface Counted {
  readonly id: string;
  readonly type: string;
}

/** Counts a bundle without the connector's code: every text under a name that ends in `_ref` or `_refs`. */
function countsOf(objects: readonly Counted[]) {
  const ofRelationships = objects.filter(({ type }) => type === 'relationship').map(({ id }) => id);
  const entities = objects.filter(({ type }) => type !== 'relationship').map(({ id }) => id);
  const references = new Set<string>();
  let externalCount = 0;
  const walk = (id: string, value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const item of value) walk(id, item, path);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value))
        walk(id, inner, path === '' ? name : `${path}.${name}`);
    } else if (typeof value === 'string' && /_refs?$/.test(path)) {
      if (entities.includes(value)) references.add(`${id} ${path} ${value}`);
      else if (!ofRelationships.includes(value)) externalCount++;
    }
  };
  for (const object of objects) if (object.type !== 'relationship') walk(object.id, object, '');
  return {
    entities: [...new Set(entities)].sort(),
    references: [...references].sort(),
    relationshipCount: new Set(ofRelationships).size,
    externalCount,
  };
}
