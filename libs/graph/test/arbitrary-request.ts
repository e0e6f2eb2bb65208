import fc from 'fast-check';
import type { EntityStatement, RelationshipInput } from '#model';
import type { DanglingPolicy, SyncRequest, WriteRequest } from '../src/index.ts';

/** Small universes, so that requests meet the same records again and again. */
const types = fc.constantFrom('host', 'service', 'héros🦊');
const keys = fc.constantFrom('a', 'b', 'c', 'ä', '🦊');
const verbs = fc.constantFrom('RUNS', 'runs', 'USES');
const connectors = fc.constantFrom('scan', 'cloud');
const values = fc.oneof(
  fc.constantFrom(null, true, 1, 2.5, 'x', 'ä🦊'),
  fc.constantFrom<readonly string[]>([], ['x', 'y']),
);
const properties = fc.dictionary(fc.constantFrom('state', 'cpu', 'tags'), values, {
  maxKeys: 2,
  noNullPrototype: true,
});
const endpoint = fc.record({ type: types, key: keys });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 1 });

const entity: fc.Arbitrary<EntityStatement> = fc.record({
  type: types,
  key: keys,
  class: maybe(fc.constantFrom('Host', 'Odd')),
  displayName: maybe(fc.constantFrom('Name', '')),
  properties,
});
const relationship: fc.Arbitrary<RelationshipInput> = fc.record({
  from: endpoint,
  verb: verbs,
  to: endpoint,
  key: maybe(fc.constant('k')),
  properties,
});
const entities = fc.array(entity, { maxLength: 6 });
const relationships = fc.array(relationship, { maxLength: 4 });
const ids = fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8');

export const arbitraryWrite: fc.Arbitrary<WriteRequest> = fc.record({
  writeId: maybe(ids),
  connectorId: maybe(connectors),
  entities,
  relationships,
  delete: maybe(
    fc.record({
      entities: fc.array(endpoint, { maxLength: 2 }),
      relationships: fc.array(
        relationship.map(({ from, verb, to, key }) => ({ from, verb, to, key })),
        { maxLength: 2 },
      ),
    }),
  ),
});

export const arbitrarySync: fc.Arbitrary<SyncRequest> = fc.record({
  connectorId: connectors,
  syncId: ids,
  mode: fc.constantFrom('diff', 'diff', 'patch', undefined),
  partialTypes: maybe(fc.subarray(['host', 'service', 'uses'])),
  force: maybe(fc.boolean()),
  maxDeleteRatio: fc.constantFrom(undefined, 0, 1),
  entities,
  relationships,
});

export const arbitraryPolicy: fc.Arbitrary<DanglingPolicy> = fc.constantFrom(
  'skip',
  'stub',
  'refuse',
  'skip',
);
