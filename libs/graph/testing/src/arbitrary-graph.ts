import fc from 'fast-check';
import type { EntityInput, Properties, PropertyValue, RelationshipInput } from '#graph/model';
import { relationship, type GraphData } from './graph-data.ts';

/**
 * Deliberately colliding names: a type equal to another's class, keys beyond the BMP, verbs in both cases.
 */
const TYPES = ['host', 'service', 'user', 'Host', '__proto__'] as const;
const CLASSES = ['Host', 'Service', 'user', 'Thing'] as const;
/** Labels equal to types and classes, and one of its own. */
const LABELS = ['host', 'Thing', 'Labelled', 'a "b"'] as const;
const KEYS = ['a', 'b', 'c', 'a b', 'é', '\uffee', '😀', "o'x", 'B'] as const;
const VERBS = ['RUNS', 'runs', 'USES', 'TRUSTS'] as const;
const FIELDS = ['os', 'cpu', 'flag', 'tags', '__proto__', 'id', '_labels', 'class'] as const;

export const arbitraryValue: fc.Arbitrary<PropertyValue> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.constantFrom(0, 1, 2, 2.5, -1, 443),
  fc.constantFrom('linux', 'windows', '', 'Linux', '2026-01-02T03:04:05Z', '😀'),
  fc.array(fc.constantFrom('linux', 'windows'), { maxLength: 2 }),
  fc.array(fc.constantFrom(1, 2), { maxLength: 2 }),
);

/** Sorted, each once; mostly none. */
export const arbitraryLabels: fc.Arbitrary<readonly string[] | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.subarray([...LABELS].sort(), { minLength: 1 }) },
);

/** Small graphs with few distinct values, so that random questions have answers. */
export const arbitraryGraph: fc.Arbitrary<GraphData> = fc
  .uniqueArray(arbitraryEntity(), { selector: (item) => `${item.type}\0${item.key}`, maxLength: 12 })
  .chain((entities) => arbitraryLinks(entities).map((relationships) => ({ entities, relationships })));

/** Property names of {@link arbitraryGraph}, one that never occurs, and the record's own fields. */
export const arbitraryField = fc.constantFrom(
  ...FIELDS,
  'properties._labels',
  'properties.class',
  'missing',
  'class',
  'display_name',
  '_key',
  '_type',
  '_class',
  '_labels',
  '_id',
  '_source',
  '_created_at',
);

export const arbitraryNames = fc.oneof(
  fc.constant('*' as const),
  fc.uniqueArray(fc.constantFrom(...TYPES, ...CLASSES, ...LABELS, 'nobody'), { minLength: 1, maxLength: 3 }),
);

export const arbitraryVerbs = fc.oneof(
  fc.constant('*' as const),
  fc.uniqueArray(fc.constantFrom('RUNS', 'uses', 'Trusts', 'NOTHING'), { minLength: 1, maxLength: 2 }),
);

function arbitraryEntity(): fc.Arbitrary<EntityInput> {
  return fc.record({
    type: fc.constantFrom(...TYPES),
    key: fc.constantFrom(...KEYS),
    class: fc.constantFrom(...CLASSES),
    displayName: fc.constantFrom('One', 'Two "quoted"', '😀'),
    labels: arbitraryLabels,
    properties: arbitraryProperties(),
  });
}

function arbitraryProperties(): fc.Arbitrary<Properties> {
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...FIELDS), arbitraryValue), { selector: ([name]) => name })
    .map((entries) => {
      const properties = Object.create(null) as Record<string, PropertyValue>;
      for (const [name, value] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) properties[name] = value;
      return properties;
    });
}

function arbitraryLinks(entities: readonly EntityInput[]): fc.Arbitrary<RelationshipInput[]> {
  if (entities.length === 0) return fc.constant([]);
  const end = fc.constantFrom(...entities);
  const link = fc.tuple(
    end,
    fc.constantFrom(...VERBS),
    end,
    fc.constantFrom(undefined, undefined, 'k1'),
    arbitraryProperties(),
  );
  return fc
    .uniqueArray(link, {
      selector: ([from, verb, to, key]) =>
        JSON.stringify([from.type, from.key, verb.toUpperCase(), to.type, to.key, key]),
      maxLength: 20,
    })
    .map((links) =>
      links.map(([from, verb, to, key, properties]) => ({
        ...relationship(from, verb, to, properties),
        ...(key === undefined ? {} : { key }),
      })),
    );
}
