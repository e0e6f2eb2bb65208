import fc from 'fast-check';
import type { EntityStatement, PartialRelationships, RelationshipInput } from '#graph/model';
import type { DanglingPolicy, SyncRequest, WriteRequest } from '#graph/engine';

/** Small universes, so that requests hit the same records repeatedly. */
const types = fc.constantFrom('host', 'héros🦊');
const keys = fc.constantFrom('a', 'ä', '🦊');
const verbs = fc.constantFrom('RUNS', 'runs', 'USES');
const connectors = fc.constantFrom('scan', 'cloud', 'api');
const values = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(null, 1, 'ä🦊') },
  { weight: 1, arbitrary: fc.constantFrom<readonly string[]>([], ['x', 'y']) },
);
const properties = fc.dictionary(fc.constantFrom('state', 'cpu'), values, {
  maxKeys: 2,
  noNullPrototype: true,
});
const endpoint = fc.record({ type: types, key: keys });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });

const entity: fc.Arbitrary<EntityStatement> = fc.record({
  type: types,
  key: keys,
  class: fc.constantFrom(undefined, undefined, 'Odd', 'Host'),
  displayName: fc.constantFrom(undefined, undefined, '', 'a'),
  labels: fc.constantFrom(undefined, undefined, [], ['Lab'], ['Lab', 'Other']),
  properties,
});
const relationship: fc.Arbitrary<RelationshipInput> = fc.record({
  from: endpoint,
  verb: verbs,
  to: endpoint,
  key: fc.constantFrom(undefined, undefined, 'k'),
  properties,
});
/** Mostly without duplicates, because of which most requests would be rejected. */
const entities = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.uniqueArray(entity, { maxLength: 6, selector: ({ type, key }) => type + key }),
  },
  { weight: 1, arbitrary: fc.array(entity, { maxLength: 6 }) },
);
const relationships = fc.array(relationship, { maxLength: 3 });
const partialRelationships: fc.Arbitrary<readonly PartialRelationships[]> = fc.array(
  fc.record({ verb: verbs, end: fc.constantFrom('from', 'to'), type: types, key: keys }),
  { maxLength: 2 },
);
const ids = fc.integer({ min: 1, max: 40 }).map(String);

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
  partialTypes: maybe(fc.subarray(['host', 'uses'])),
  partialRelationships: maybe(partialRelationships),
  force: maybe(fc.boolean()),
  maxDeleteRatio: fc.constantFrom(undefined, 0, 1),
  priority: fc.constantFrom(undefined, undefined, 0, 7, -1),
  entities,
  relationships,
});

const ENDS = ['a', 'ä', '🦊'].map((key) => ({ type: 'host', key }));
const LINKS = ENDS.flatMap((from) =>
  ENDS.flatMap((to) => ['RUNS', 'USES'].map((verb) => ({ from, verb, to, properties: {} }))),
);

/** States all hosts and some of few relationships: an earlier one has often stated what it leaves out. */
export const arbitraryShrinkingSync: fc.Arbitrary<SyncRequest> = fc.record({
  connectorId: connectors,
  syncId: fc.integer({ min: 41, max: 1_000_000 }).map(String),
  mode: fc.constant('diff'),
  partialTypes: maybe(fc.constant(['uses'])),
  partialRelationships: maybe(partialRelationships),
  force: maybe(fc.boolean()),
  entities: fc.constant(ENDS.map((end) => ({ ...end, properties: {} }))),
  relationships: fc.subarray(LINKS),
});

export const arbitraryPolicy: fc.Arbitrary<DanglingPolicy> = fc.constantFrom(
  'skip',
  'stub',
  'refuse',
  'skip',
);
