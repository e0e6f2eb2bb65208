import { describe, expect, it } from '@jest/globals';
import { completed } from '#platform/foundation';
import { FIXTURE } from './fixture.ts';
import { graphReaderConformance } from './graph-reader-conformance.ts';
import { NaiveReader } from './naive-reader.ts';

graphReaderConformance('the naive reader', (data) => new NaiveReader(data));

describe('NaiveReader', () => {
  const reader = new NaiveReader(FIXTURE);
  const keys = (nodes: Uint32Array) => Array.from(nodes, (node) => reader.nodeField(node, '_key'));

  it('matches a name as a type or as a class', () => {
    const types = keys(completed(reader.select({ names: ['host'] })));
    const classes = keys(completed(reader.select({ names: ['Host'] })));

    expect(types).toEqual(['db-01', 'web-01', 'web-02', 'win-01']);
    expect(classes).toEqual(['i-9', 'db-01', 'web-01', 'web-02', 'win-01']);
  });

  it('hops against the direction only on request', () => {
    const hosts = completed(reader.select({ names: ['host'] }));

    expect(keys(reader.adjacency(['protects'], 'any').image(hosts))).toEqual(['edr-1']);
    expect(keys(reader.adjacency(['protects'], 'out').image(hosts))).toEqual([]);
  });

  it('returns a self-link once', () => {
    const [first] = FIXTURE.entities;
    if (first === undefined) throw new Error('the fixture is empty');
    const self = { from: first, verb: 'TRUSTS', to: first, properties: {} };
    const looped = new NaiveReader({ entities: [first], relationships: [self] });
    const buffer = { count: 0, nodes: new Uint32Array(1), links: new Uint32Array(1) };

    looped.adjacency('*', 'any').read(0, buffer);

    expect(buffer.count).toBe(1);
  });
});
