import { fieldOfProperty, type FieldValue, type Properties, type ValueKind } from '#graph/model';
import { kindOf } from '../column/field.ts';

export interface PropertyCount {
  /** Entities with the property, including null. */
  count: number;
  readonly kinds: Map<ValueKind, number>;
}

/** What is counted of an entity. */
export interface LabelledContent {
  readonly labels?: readonly string[] | undefined;
  readonly properties: Properties;
}

/** How many entities there are, how many have each property, and how many a value of each kind. */
export class EntityCounts {
  size = 0;
  /** Number of entities with labels. */
  labelled = 0;
  readonly properties = new Map<string, PropertyCount>();

  addEntity({ labels, properties }: LabelledContent, by: 1 | -1): void {
    this.size += by;
    if (labels !== undefined) this.labelled += by;
    for (const name of Object.keys(properties)) this.addValue(fieldOfProperty(name), properties[name], by);
  }

  addValue(name: string, value: FieldValue, by: 1 | -1): void {
    if (value === undefined) return;
    const property = this.property(name);
    property.count += by;
    const kind = kindOf(value);
    if (kind !== undefined) addTo(property.kinds, kind, by);
  }

  addAll(other: EntityCounts, by: 1 | -1 = 1): void {
    this.size += by * other.size;
    this.labelled += by * other.labelled;
    for (const [name, { count, kinds }] of other.properties) {
      const property = this.property(name);
      property.count += by * count;
      for (const [kind, ofKind] of kinds) addTo(property.kinds, kind, by * ofKind);
    }
  }

  property(name: string): PropertyCount {
    let found = this.properties.get(name);
    if (found === undefined) this.properties.set(name, (found = { count: 0, kinds: new Map() }));
    return found;
  }
}

export function addTo<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
