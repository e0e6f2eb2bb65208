import { describe, expect, it } from '@jest/globals';
import { readStixBundle } from './stix-bundle.ts';

const bundle = (...objects: readonly object[]) =>
  JSON.stringify({ type: 'bundle', id: 'bundle--1', objects });
const read = (...objects: readonly object[]) => readStixBundle(bundle(...objects));

const MALWARE = { type: 'malware', id: 'malware--1', name: 'm' };
const GROUP = { type: 'intrusion-set', id: 'intrusion-set--1', name: 'g' };
const USES = {
  type: 'relationship',
  id: 'relationship--1',
  relationship_type: 'uses',
  source_ref: GROUP.id,
  target_ref: MALWARE.id,
};

/** `from VERB to reference`. */
function sentences(content: ReturnType<typeof read>): readonly string[] {
  return content.relationships.map(({ from, verb, to, properties }) =>
    `${from.key} ${verb} ${to.key} ${(properties?.['reference'] as string | undefined) ?? ''}`.trim(),
  );
}

describe('readStixBundle', () => {
  it('names references that no id could be, also within nested values', () => {
    const { relationships, external, unresolved } = read({
      ...MALWARE,
      created_by_ref: [],
      x_sources: [{ x_data_ref: 7 }, { x_data_ref: {}, deeper: { object_refs: ['a', 8, null] } }],
    });

    expect([relationships, external.length]).toEqual([[], 1]);
    expect(unresolved.map(({ verb, reason }) => [verb, reason])).toEqual(
      [
        ['CREATED_BY', 'created_by_ref'],
        ['HAS_DATA', 'x_sources.x_data_ref'],
        ['HAS_DATA', 'x_sources.x_data_ref'],
        ['HAS_OBJECT', 'x_sources.deeper.object_refs'],
      ].map(([verb, path]) => [verb, `${MALWARE.id}: ${path}: expected an id, or a list of them`]),
    );
  });

  it.each([
    ['2024-05-31T21:30:19.735Z', '2024-05-31T21:30:19Z'],
    ['2024-05-31T21:30:19.5Z', '2024-05-31T21:30:19.499999Z'],
    ['2024-05-31T21:30:19.4999999991Z', '2024-05-31T21:30:19.499999999Z'],
    ['2024-05-31T21:30:20Z', '2024-05-31T21:30:19.999999Z'],
    ['2024-05-31T20:30:20-02:00', '2024-05-31T21:30:20Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.9Z'],
    ['2024-05-31T21:30:19Z', undefined],
    ['2024-05-31T21:30:19Z', 'yesterday'],
    ['2024-05-31T21:30:19Z', 9],
  ])('uses the version of %s, and not that of %s', (modified, earlier) => {
    const newer = { ...MALWARE, name: 'new', modified };
    const older = { ...MALWARE, name: 'old', modified: earlier };

    for (const order of [
      [newer, older],
      [older, newer],
    ]) {
      expect(read(...order).entities.map((entity) => entity.display_name)).toEqual(['new']);
    }
  });

  it('uses the last of two versions of one instant, however it is written', () => {
    const first = { ...MALWARE, name: 'first', modified: '2024-05-31T21:30:19.50Z' };
    const last = { ...MALWARE, name: 'last', modified: '2024-05-31T23:30:19.5+02:00' };

    expect(read(first, last).entities.map((entity) => entity.display_name)).toEqual(['last']);
  });

  it('reads the newest version of a relationship', () => {
    const revoked = { ...USES, modified: '2024-01-02T00:00:00.001Z', revoked: true };

    const [found] = read(GROUP, MALWARE, revoked, {
      ...USES,
      modified: '2024-01-02T00:00:00Z',
    }).relationships;

    expect(found).toMatchObject({ verb: 'USES', key: USES.id, properties: { revoked: true } });
  });

  it('keeps the markings of a relationship with it', () => {
    const marked = { ...USES, object_marking_refs: ['marking-definition--1'], created_by_ref: 'identity--1' };

    expect(read(GROUP, MALWARE, marked).relationships).toMatchObject([
      { properties: { object_marking_refs: ['marking-definition--1'], created_by_ref: 'identity--1' } },
    ]);
  });

  it('reads references at any depth', () => {
    const content = read(
      {
        type: 'file',
        id: 'file--1',
        extensions: {
          'archive-ext': { contains_refs: ['file--2'] },
          'ntfs-ext': { deeper: [[{ sid_ref: 'file--2' }]] },
        },
        contains_refs: ['file--2'],
      },
      { type: 'file', id: 'file--2' },
      { type: 'email-message', id: 'email-message--3', body_multipart: [{ body_raw_ref: 'file--2' }] },
      { type: 'network-traffic', id: 'network-traffic--4', src_ref: 'ipv4-addr--5' },
      { type: 'ipv4-addr', id: 'ipv4-addr--5', value: '192.0.2.1' },
    );

    expect(sentences(content)).toEqual([
      'file--1 HAS_CONTAINS file--2 extensions.archive-ext.contains_refs',
      'file--1 HAS_SID file--2 extensions.ntfs-ext.deeper.sid_ref',
      'file--1 HAS_CONTAINS file--2 contains_refs',
      'email-message--3 HAS_BODY_RAW file--2 body_multipart.body_raw_ref',
      'network-traffic--4 HAS_SRC ipv4-addr--5 src_ref',
    ]);
    expect(content.relationships.map(({ key }) => key)).toEqual([
      'extensions.archive-ext.contains_refs',
      'extensions.ntfs-ext.deeper.sid_ref',
      undefined,
      'body_multipart.body_raw_ref',
      undefined,
    ]);
  });

  it('names a component once that several log sources of an analytic refer to', () => {
    const source = (name: string) => ({ x_mitre_data_component_ref: 'x-mitre-data-component--2', name });
    const content = read(
      {
        type: 'x-mitre-analytic',
        id: 'x-mitre-analytic--1',
        x_mitre_log_source_references: [source('auditd'), source('sysmon')],
      },
      { type: 'x-mitre-data-component', id: 'x-mitre-data-component--2' },
    );

    expect(sentences(content)).toEqual([
      'x-mitre-analytic--1 HAS_DATA_COMPONENT x-mitre-data-component--2 x_mitre_log_source_references.x_mitre_data_component_ref',
    ]);
    expect(content.entities[0]?.properties?.['x_mitre_log_source_references']).toContain('sysmon');
  });

  it('makes a relationship that others are about an entity as well', () => {
    const about = (type: string, refs: readonly string[]) => ({ type, id: `${type}--1`, object_refs: refs });
    const content = read(
      GROUP,
      MALWARE,
      USES,
      { ...USES, id: 'relationship--2', relationship_type: 'targets' },
      about('opinion', [USES.id]),
      about('note', [USES.id, MALWARE.id]),
      { type: 'sighting', id: 'sighting--1', sighting_of_ref: USES.id },
    );

    expect(sentences(content)).toEqual([
      'opinion--1 HAS_OBJECT relationship--1 object_refs',
      'note--1 HAS_OBJECT relationship--1 object_refs',
      'note--1 HAS_OBJECT malware--1 object_refs',
      'sighting--1 HAS_SIGHTING_OF relationship--1 sighting_of_ref',
      'relationship--1 HAS_SOURCE intrusion-set--1 source_ref',
      'relationship--1 HAS_TARGET malware--1 target_ref',
      'intrusion-set--1 USES malware--1',
      'intrusion-set--1 TARGETS malware--1',
    ]);
    expect(content.entities.filter(({ type }) => type === 'relationship')).toMatchObject([
      { key: 'relationship--1', properties: { relationship_type: 'uses' } },
    ]);
  });

  it('names no relationship in the contents of a release, and counts none as ignored', () => {
    const x_mitre_contents = [MALWARE, USES].map(({ id }) => ({ object_ref: id }));
    const content = read(GROUP, MALWARE, USES, { type: 'x-mitre-collection', id: 'c--1', x_mitre_contents });

    expect(sentences(content)).toEqual([
      'c--1 HAS_OBJECT malware--1 x_mitre_contents.object_ref',
      'intrusion-set--1 USES malware--1',
    ]);
    expect(content.ignored.size).toBe(0);
  });

  it('reads the observables within observed data of STIX 2.0', () => {
    const content = read({
      type: 'observed-data',
      id: 'observed-data--1',
      objects: {
        0: { type: 'ipv4-addr', value: '192.0.2.1' },
        1: { type: 'network-traffic', src_ref: '0', dst_ref: '7' },
        2: 'nothing',
      },
    });

    expect(content.entities).toMatchObject([
      { type: 'observed_data', key: 'observed-data--1' },
      { type: 'ipv4_addr', key: 'observed-data--1/0', properties: { value: '192.0.2.1' } },
      { type: 'network_traffic', key: 'observed-data--1/1' },
    ]);
    expect(sentences(content)).toEqual([
      'observed-data--1 HAS_OBJECT observed-data--1/0 object_refs',
      'observed-data--1 HAS_OBJECT observed-data--1/1 object_refs',
      'observed-data--1/1 HAS_SRC observed-data--1/0 src_ref',
    ]);
    expect(content.external).toHaveLength(1);
    expect([...content.ignored]).toEqual([['observable without a type', 1]]);
  });

  it('reads granular markings with what they are about', () => {
    const marking = { type: 'marking-definition', id: 'marking-definition--1' };
    const granular = (selector: string) => ({ marking_ref: marking.id, selectors: [selector] });
    const content = read(
      {
        ...MALWARE,
        object_marking_refs: [marking.id],
        granular_markings: [granular('name'), granular('labels')],
      },
      marking,
    );

    expect(content.relationships).toMatchObject([
      { verb: 'MARKED_BY', properties: { reference: 'object_marking_refs' } },
      {
        verb: 'MARKED_BY',
        key: 'granular_markings.marking_ref',
        properties: { reference: 'granular_markings.marking_ref', selectors: ['name', 'labels'] },
      },
    ]);
  });

  it('takes what other bundles have for external', () => {
    const content = read({ ...MALWARE, created_by_ref: 'identity--7', object_marking_refs: ['m--1'] }, USES);

    expect(content.relationships).toEqual([]);
    expect(content.unresolved).toEqual([]);
    expect(content.external.map(({ owner, end, verb }) => [owner.key, end, verb])).toEqual([
      ['malware--1', 'from', 'CREATED_BY'],
      ['malware--1', 'from', 'MARKED_BY'],
      ['malware--1', 'to', 'USES'],
    ]);
  });
});
