import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Direction, LinkBuffer } from '#graph/model';
import type { GraphReader } from '#graph/execution';
import { completed } from '#platform/foundation';
import { arbitraryField, arbitraryGraph, arbitraryNames, arbitraryVerbs } from './arbitrary-graph.ts';
import { arbitrarySelection } from './arbitrary-selection.ts';
import { FIXTURE } from './fixture.ts';
import type { GraphData } from './graph-data.ts';
import { NaiveReader } from './naive-reader.ts';
import { TextSink } from './text-sink.ts';

/** Builds the reader under test; every record has `TEST_STAMP` and is owned by its connector. */
export type MakeReader = (data: GraphData) => GraphReader | Promise<GraphReader>;

interface Pair {
  readonly naive: NaiveReader;
  readonly reader: GraphReader;
}

const DIRECTIONS: readonly Direction[] = ['out', 'in', 'any'];

/**
 * The contract of `GraphReader`, checked against {@link NaiveReader} on the fixture and on random small
 * graphs.
 */
export function graphReaderConformance(name: string, makeReader: MakeReader): void {
  describe(`${name} conforms to GraphReader`, () => {
    const check = <T>(arbitrary: fc.Arbitrary<T>, compare: (pair: Pair, value: T) => void) =>
      fc.assert(
        fc.asyncProperty(fc.oneof(fc.constant(FIXTURE), arbitraryGraph), arbitrary, async (data, value) => {
          compare({ naive: new NaiveReader(data), reader: await makeReader(data) }, value);
        }),
        { verbose: fc.VerbosityLevel.Verbose },
      );

    it('selects, counts and matches the same nodes, however often it is asked', () =>
      check(arbitrarySelection, often(compareSelection)));
    it('sizes the same groups, however often it is asked', () =>
      check(
        fc.tuple(arbitrarySelection, fc.array(arbitraryField, { minLength: 1, maxLength: 2 })),
        often(compareGroups),
      ));
    it('hops to the same neighbours', () =>
      check(fc.tuple(arbitraryVerbs, fc.constantFrom(...DIRECTIONS)), compareAdjacency));
    it('maps node sets to the same neighbours', () =>
      check(
        fc.tuple(arbitraryVerbs, fc.constantFrom(...DIRECTIONS), arbitrarySelection, arbitrarySelection),
        compareImages,
      ));
    it('orders nodes by type and key in UTF-8 bytes', () => check(fc.constant(null), compareOrder));
    it('reads the same fields', () => check(fc.tuple(arbitraryNames, arbitraryField), compareFields));
    it('returns and writes the same records', () => check(fc.constant(null), compareRecords));
    it('has the same names, verbs and properties', () =>
      check(fc.tuple(arbitraryNames, arbitraryField), compareSchema));
  });
}

/** A reader may answer from the second look on from what it has kept of the first. */
function often<T>(compare: (pair: Pair, value: T) => void): (pair: Pair, value: T) => void {
  return (pair, value) => {
    for (let look = 0; look < 3; look++) compare(pair, value);
  };
}

function compareSelection({ naive, reader }: Pair, selection: Parameters<GraphReader['select']>[0]): void {
  const expected = ids(naive, completed(naive.select(selection)));
  expect(ids(reader, completed(reader.select(selection)))).toEqual(expected);
  expect(completed(reader.count(selection))).toBe(expected.length);
  expect(reader.estimate(selection)).toBeGreaterThanOrEqual(expected.length);
  const classes = (of: GraphReader) => [
    ...completed(of.classCounts(completed(of.select(selection)).reverse())),
  ];
  expect(classes(reader).sort()).toEqual(classes(naive).sort());
  const matches = reader.matcher(selection);
  expect(ids(reader, completed(reader.select({ names: '*' })).filter(matches))).toEqual(expected);
}

function compareGroups(
  { naive, reader }: Pair,
  [selection, fields]: [Parameters<GraphReader['select']>[0], readonly string[]],
): void {
  const groups = (of: GraphReader) =>
    completed(of.groupCounts(selection, fields))
      .map(({ values, count }) => JSON.stringify([values, count]))
      .sort();
  expect(groups(reader)).toEqual(groups(naive));
}

function compareAdjacency(
  { naive, reader }: Pair,
  [verbs, direction]: [readonly string[] | '*', Direction],
): void {
  const read = (of: GraphReader) => {
    const adjacency = of.adjacency(verbs, direction);
    const buffer: LinkBuffer = { count: 0, nodes: new Uint32Array(1), links: new Uint32Array(1) };
    return [...completed(of.select({ names: '*' }))].map((node) => {
      adjacency.read(node, buffer);
      const hops = Array.from({ length: buffer.count }, (_, at) => [
        of.nodeField(buffer.nodes[at] ?? -1, '_id'),
        of.linkField(buffer.links[at] ?? -1, '_id'),
      ]);
      return [of.nodeField(node, '_id'), hops.map(String).sort()];
    });
  };
  expect(read(reader)).toEqual(read(naive));
  const each = (of: GraphReader) => {
    const nodes = completed(of.select({ names: '*' }));
    const buffer: LinkBuffer = { count: 0, nodes: new Uint32Array(1), links: new Uint32Array(1) };
    const ends = new Uint32Array(nodes.length);
    of.adjacency(verbs, direction).readEach(nodes, buffer, ends);
    expect(buffer.count).toBe(ends.at(-1) ?? 0);
    return [...nodes].map((node, at) => {
      const [start, end] = [ends[at - 1] ?? 0, ends[at] ?? 0];
      const hops = Array.from({ length: end - start }, (_, index) => [
        of.nodeField(buffer.nodes[start + index] ?? -1, '_id'),
        of.linkField(buffer.links[start + index] ?? -1, '_id'),
      ]);
      return [of.nodeField(node, '_id'), hops.map(String).sort()];
    });
  };
  expect(each(reader)).toEqual(read(naive));
  expect(reader.adjacency(verbs, direction).linkCount).toBeGreaterThanOrEqual(
    naive.adjacency(verbs, 'out').linkCount,
  );
}

type ImageQuestion = [
  readonly string[] | '*',
  Direction,
  Parameters<GraphReader['select']>[0],
  Parameters<GraphReader['select']>[0],
];

function compareImages({ naive, reader }: Pair, [verbs, direction, source, target]: ImageQuestion): void {
  const image = (of: GraphReader, keep?: (node: number) => boolean) =>
    of.adjacency(verbs, direction).image(completed(of.select(source)), keep);
  const all = image(reader);
  expect([...all]).toEqual([...new Set(all)].sort((a, b) => a - b));
  expect(ids(reader, all).sort()).toEqual(ids(naive, image(naive)).sort());
  const steps = reader.adjacency(verbs, direction).imageInSteps(completed(reader.select(source)));
  expect([...completed(steps)]).toEqual([...all]);
  const ends = { count: 0, nodes: new Uint32Array(1) };
  reader.adjacency(verbs, direction).readEnds(completed(reader.select(source)), ends);
  expect([...new Set(ends.nodes.subarray(0, ends.count))].sort((a, b) => a - b)).toEqual([...all]);
  const far = new Uint32Array((reader.nodeBound >>> 5) + 1);
  for (const node of completed(reader.select(source)))
    far[node >>> 5] = (far[node >>> 5] ?? 0) | (1 << (node & 31));
  const back = ({ in: 'out', out: 'in', any: 'any' } as const)[direction];
  const linked = reader.adjacency(verbs, back).linkedTo(completed(reader.select(target)), far);
  const matches = reader.matcher(target);
  const expected = completed(reader.sorted(all.filter(matches)));
  expect([...completed(linked)]).toEqual([...expected]);
  const kept = ids(reader, image(reader, reader.matcher(target)));
  expect(kept.sort()).toEqual(ids(naive, image(naive, naive.matcher(target))).sort());
}

function compareOrder({ naive, reader }: Pair): void {
  const expected = ids(naive, completed(naive.select({ names: '*' })));
  const nodes = completed(reader.select({ names: '*' }));
  expect(ids(reader, nodes)).toEqual(expected);
  const backwards = Uint32Array.from([...nodes, ...nodes].reverse());
  expect(ids(reader, reader.sort(backwards))).toEqual(expected);
  for (let at = 1; at < nodes.length; at++) {
    expect(reader.compare(nodes[at - 1] ?? 0, nodes[at] ?? 0)).toBeLessThan(0);
    expect(reader.compare(nodes[at] ?? 0, nodes[at - 1] ?? 0)).toBeGreaterThan(0);
  }
  for (const node of nodes) {
    expect(reader.compare(node, node)).toBe(0);
    expect(node).toBeLessThan(reader.nodeBound);
  }
}

function compareFields({ naive, reader }: Pair, [names, field]: [readonly string[] | '*', string]): void {
  const nodeFields = (of: GraphReader) =>
    [...completed(of.select({ names }))].map((node) => of.nodeField(node, field));
  expect(nodeFields(reader)).toEqual(nodeFields(naive));
  const linkFields = (of: GraphReader) =>
    [...links(of)].map(([id, link]) => [id, of.linkField(link, field), of.linkField(link, 'verb')]);
  expect(linkFields(reader)).toEqual(linkFields(naive));
}

function compareRecords({ naive, reader }: Pair): void {
  const entities = (of: GraphReader) =>
    [...completed(of.select({ names: '*' }))].map((node) => of.entity(node));
  expect(plain(entities(reader))).toEqual(plain(entities(naive)));
  for (const node of completed(reader.select({ names: '*' }))) {
    const sink = new TextSink();
    reader.writeEntity(node, sink);
    expect(sink.text).toBe(JSON.stringify(reader.entity(node)));
    expect(reader.nodeById(reader.entity(node).id)).toBe(node);
  }
  expect(reader.nodeById('0'.repeat(32))).toBe(-1);
  const relationships = (of: GraphReader) => [...links(of).values()].map((link) => of.relationship(link));
  expect(plain(relationships(reader))).toEqual(plain(relationships(naive)));
  for (const link of links(reader).values()) {
    const sink = new TextSink();
    reader.writeRelationship(link, sink);
    expect(sink.text).toBe(JSON.stringify(reader.relationship(link)));
    expect(reader.linkVerb(link)).toBe(reader.relationship(link).verb);
    expect(reader.nodeField(reader.linkFrom(link), '_id')).toBe(reader.relationship(link).from.id);
    expect(reader.nodeField(reader.linkTo(link), '_id')).toBe(reader.relationship(link).to.id);
  }
}

function compareSchema({ naive, reader }: Pair, [names, field]: [readonly string[] | '*', string]): void {
  expect([...reader.propertyNames(names)].sort()).toEqual([...naive.propertyNames(names)].sort());
  expect([...reader.valueKinds(names, field)].sort()).toEqual([...naive.valueKinds(names, field)].sort());
  for (const name of names === '*' ? ['host', 'Host', 'nobody'] : names) {
    expect(reader.hasName(name)).toBe(naive.hasName(name));
  }
  expect([...reader.names()].sort()).toEqual([...naive.names()].sort());
  expect([...reader.verbs()].sort()).toEqual([...naive.verbs()].sort());
  for (const verb of ['RUNS', 'runs', 'TRUSTS', 'nothing'])
    expect(reader.hasVerb(verb)).toBe(naive.hasVerb(verb));
  for (const verb of ['RUNS', 'runs', 'TRUSTS', 'nothing'])
    expect([...reader.spellings(verb)].sort()).toEqual([...naive.spellings(verb)].sort());
}

/** Ids, since each reader numbers its nodes differently. */
function ids(reader: GraphReader, nodes: Uint32Array): string[] {
  return Array.from(nodes, (node) => reader.entity(node).id);
}

/** Every link by its id, in the order of ids. */
function links(reader: GraphReader): Map<string, number> {
  const found: [string, number][] = [];
  const adjacency = reader.adjacency('*', 'out');
  const buffer: LinkBuffer = { count: 0, nodes: new Uint32Array(1), links: new Uint32Array(1) };
  for (const node of completed(reader.select({ names: '*' }))) {
    adjacency.read(node, buffer);
    for (const link of buffer.links.subarray(0, buffer.count))
      found.push([reader.relationship(link).id, link]);
  }
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The value as JSON, so that objects with and without a prototype compare equal. */
function plain(value: unknown): string {
  return JSON.stringify(value);
}
