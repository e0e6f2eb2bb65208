import type { FieldValue, ValueKind } from '#graph/model';
import type { Segment } from '../base/segment.ts';
import { kindOf } from '../column/field.ts';
import type { View } from '../delta/view.ts';
import { compareUtf8 } from '../name/utf8-order.ts';
import type { GraphSchema, NamedCount, PropertySchema, TypeSchema } from '../schema/graph-schema.ts';
import type { LiveCounts } from '../schema/live-counts.ts';
import type { Selector } from './selector.ts';

interface PropertyCount {
  count: number;
  readonly kinds: Map<ValueKind, number>;
}

interface TypeCount {
  readonly classes: Set<string>;
  readonly properties: Map<string, PropertyCount>;
}

/** Statistics of the base's columns, corrected by the snapshot's later versions. */
export function collectSchema(view: View, selector: Selector, counts: LiveCounts): GraphSchema {
  const types = new Map<string, TypeCount>();
  for (const segment of selector.segments) addSegment(types, segment);
  const { nodes } = view.delta;
  for (const version of selector.overlay.changed) {
    const node = nodes.item.data[version] ?? 0;
    if (selector.isInBase(node)) addRow(types, view.base.segmentOf(node), node);
    const content = nodes.content.data[version] ?? 0;
    if (!selector.overlay.isShown(version) || content === 0) continue;
    const { type, class: className, properties } = view.delta.input(content);
    typeCount(types, type).classes.add(className);
    for (const name of Object.keys(properties))
      addValue(types, { type, name, value: properties[name], by: 1 });
  }
  return {
    classes: named(counts.classes),
    types: named(counts.types).map((item) => typeSchema(item, types.get(item.name))),
    verbs: named(counts.verbs),
  };
}

function addSegment(types: Map<string, TypeCount>, segment: Segment): void {
  const into = typeCount(types, segment.type);
  for (const name of segment.classes) into.classes.add(name);
  for (const name of segment.propertyNames()) {
    const column = segment.columns.get(name);
    if (column === undefined) continue;
    const property = propertyCount(into, name);
    property.count += column.present;
    for (const [kind, count] of Object.entries(column.kinds) as [ValueKind, number][])
      addKind(property, kind, count);
  }
}

function addRow(types: Map<string, TypeCount>, segment: Segment, node: number): void {
  for (const name of segment.propertyNames()) {
    const value = segment.value(node - segment.start, name);
    addValue(types, { type: segment.type, name, value, by: -1 });
  }
}

interface ValueChange {
  readonly type: string;
  readonly name: string;
  readonly value: FieldValue;
  readonly by: 1 | -1;
}

function addValue(types: Map<string, TypeCount>, { type, name, value, by }: ValueChange): void {
  if (value === undefined) return;
  const property = propertyCount(typeCount(types, type), name);
  property.count += by;
  const kind = kindOf(value);
  if (kind !== undefined) addKind(property, kind, by);
}

function addKind(property: PropertyCount, kind: ValueKind, by: number): void {
  property.kinds.set(kind, (property.kinds.get(kind) ?? 0) + by);
}

function typeCount(types: Map<string, TypeCount>, type: string): TypeCount {
  let found = types.get(type);
  if (found === undefined) types.set(type, (found = { classes: new Set(), properties: new Map() }));
  return found;
}

function propertyCount({ properties }: TypeCount, name: string): PropertyCount {
  let found = properties.get(name);
  if (found === undefined) properties.set(name, (found = { count: 0, kinds: new Map() }));
  return found;
}

function typeSchema({ name, count }: NamedCount, found: TypeCount | undefined): TypeSchema {
  const properties = [...(found?.properties ?? [])].filter(([, property]) => property.count > 0);
  return {
    name,
    count,
    classes: [...(found?.classes ?? [])].sort(compareUtf8),
    properties: properties
      .sort(([a], [b]) => compareUtf8(a, b))
      .map(([property, facts]) => propertySchema(property, facts)),
  };
}

function propertySchema(name: string, { count, kinds }: PropertyCount): PropertySchema {
  return { name, count, kinds: Object.fromEntries([...kinds].filter(([, ofKind]) => ofKind > 0)) };
}

function named(counts: ReadonlyMap<string, number>): NamedCount[] {
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => compareUtf8(a.name, b.name));
}
