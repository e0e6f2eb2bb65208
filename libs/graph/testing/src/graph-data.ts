import type { EntityInput, EntityKey, Properties, PropertyValue, RelationshipInput } from '#graph/model';

/** A small graph as plain data, from which the reader under test is built. */
export interface GraphData {
  readonly entities: readonly EntityInput[];
  /** Ends name entities of this graph. */
  readonly relationships: readonly RelationshipInput[];
}

/** The stamp that every record of a {@link GraphData} carries. */
export const TEST_STAMP = {
  connectorId: 'test',
  syncId: 'sync-1',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  version: 1,
} as const;

/** An entity with its key as `name`, like those of the fixture; `class` is optional. */
export function entity(
  type: string,
  className: string,
  key: string,
  properties: Properties = {},
): EntityInput {
  return { type, key, class: className, displayName: key, properties: bare({ name: key, ...properties }) };
}

export function relationship(from: EntityKey, verb: string, to: EntityKey, properties: Properties = {}) {
  return {
    from: { type: from.type, key: from.key },
    verb,
    to: { type: to.type, key: to.key },
    properties: bare(properties),
  } satisfies RelationshipInput;
}

/** Properties without a prototype and sorted by name, like validated input. */
function bare(properties: Properties): Properties {
  const sorted: Record<string, PropertyValue> = Object.create(null) as Record<string, PropertyValue>;
  for (const name of Object.keys(properties).sort()) sorted[name] = properties[name] ?? null;
  return sorted;
}
