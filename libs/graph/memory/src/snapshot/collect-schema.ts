import { compareUtf8 } from '../name/utf8-order.ts';
import type { PropertyCount } from '../schema/entity-counts.ts';
import type { GraphSchema, NamedCount, PropertySchema, TypeSchema } from '../schema/graph-schema.ts';
import { addTo } from '../schema/entity-counts.ts';
import type { TypeCounts } from './snapshot-schema.ts';

/** `verbs` has the number of relationships of each verb. */
export function collectSchema(
  types: ReadonlyMap<string, TypeCounts>,
  verbs: ReadonlyMap<string, number>,
): GraphSchema {
  const classes = new Map<string, number>();
  const labels = new Map<string, number>();
  for (const type of types.values()) {
    for (const [name, size] of type.classes) addTo(classes, name, size);
    for (const [name, size] of type.labels) addTo(labels, name, size);
  }
  return {
    classes: named(classes),
    ...someNamed(labels),
    types: inOrder([...types].filter(([, { counts }]) => counts.size > 0)).map(typeSchema),
    verbs: named(verbs),
  };
}

/** Labels only where there are any. */
function someNamed(labels: ReadonlyMap<string, number>): Pick<GraphSchema, 'labels'> {
  const items = named(labels);
  return items.length === 0 ? {} : { labels: items };
}

function typeSchema([name, { counts, classes, labels }]: [string, TypeCounts]): TypeSchema {
  const properties = [...counts.properties].filter(([, { count }]) => count > 0);
  return {
    name,
    count: counts.size,
    classes: named(classes).map((item) => item.name),
    ...someNames(labels),
    properties: inOrder(properties).map(propertySchema),
  };
}

function someNames(labels: ReadonlyMap<string, number>): Pick<TypeSchema, 'labels'> {
  const items = named(labels);
  return items.length === 0 ? {} : { labels: items.map((item) => item.name) };
}

function propertySchema([name, { count, kinds }]: [string, PropertyCount]): PropertySchema {
  return { name, count, kinds: Object.fromEntries([...kinds].filter(([, ofKind]) => ofKind > 0)) };
}

function named(counts: ReadonlyMap<string, number>): NamedCount[] {
  return inOrder([...counts].filter(([, count]) => count > 0)).map(([name, count]) => ({ name, count }));
}

function inOrder<Value>(entries: [string, Value][]): [string, Value][] {
  return entries.sort(([a], [b]) => compareUtf8(a, b));
}
