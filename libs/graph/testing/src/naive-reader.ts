/**
 * A reference implementation of `GraphReader`: arrays and plain loops. Its answers define the answers of
 * every other reader. Nodes are numbered in the order of the data, which is *not* result order, so that no
 * caller relies on it.
 */
import {
  type ByteSink,
  type Direction,
  type Entity,
  entityId,
  type EntityInput,
  fieldOfProperty,
  type FieldValue,
  type Filter,
  type GroupCount,
  type NodeRange,
  type PropertyKinds,
  propertyOfField,
  type PropertyValue,
  type Relationship,
  relationshipId,
  type RelationshipInput,
  type Selection,
  type Source,
  type StoredKind,
  type ValueKind,
  type VerbSelection,
} from '#graph/model';
import type { GraphReader } from '#graph/execution';
import type { Steps } from '#platform/foundation';
import { TEST_STAMP, type GraphData } from './graph-data.ts';
import { NaiveAdjacency } from './naive-adjacency.ts';

export class NaiveReader implements GraphReader {
  readonly snapshotVersion = 1;
  readonly nodeBound: number;
  readonly linkBound: number;
  readonly #data: GraphData;
  readonly #nodeByEnd = new Map<string, number>();
  readonly #nodeById = new Map<string, number>();
  readonly #order: readonly Buffer[];

  constructor(data: GraphData) {
    this.#data = data;
    this.nodeBound = data.entities.length;
    this.linkBound = data.relationships.length;
    data.entities.forEach((item, node) => {
      this.#nodeByEnd.set(`${item.type}\0${item.key}`, node);
      this.#nodeById.set(entityId(item.type, item.key), node);
    });
    this.#order = data.entities.map((item) => Buffer.from(`${item.type}\0${item.key}`, 'utf8'));
  }

  hasName(name: string): boolean {
    return this.#data.entities.some((item) => namesOf(item).includes(name));
  }

  hasVerb(verb: string): boolean {
    return this.#data.relationships.some((item) => item.verb.toUpperCase() === verb.toUpperCase());
  }

  names(): readonly string[] {
    return [...new Set(this.#data.entities.flatMap(namesOf))];
  }

  spellings(verb: string): readonly string[] {
    const written = new Set(this.#data.relationships.map((item) => item.verb));
    return [...written].filter((each) => each.toUpperCase() === verb.toUpperCase());
  }

  verbs(): readonly string[] {
    return [...new Set(this.#data.relationships.map((item) => item.verb.toUpperCase()))];
  }

  propertyNames(names: readonly string[] | '*'): readonly string[] {
    const found = new Set<string>();
    for (const node of this.#select({ names })) {
      for (const name of Object.keys(this.#input(node).properties)) found.add(fieldOfProperty(name));
    }
    return [...found];
  }

  valueKinds(names: readonly string[] | '*', field: string): readonly ValueKind[] {
    const kinds = new Set<ValueKind>();
    for (const node of this.#select({ names })) {
      const kind = kindOf(this.nodeField(node, field));
      if (kind !== undefined) kinds.add(kind);
    }
    return [...kinds];
  }

  estimate(selection: Selection): number {
    return this.#select(selection).length;
  }

  *count(selection: Selection): Steps<number> {
    return (yield* this.select(selection)).length;
  }

  *select(selection: Selection): Steps<Uint32Array> {
    yield;
    return this.#select(selection);
  }

  #select(selection: Selection): Uint32Array {
    const matches = this.matcher(selection);
    return this.sort(Uint32Array.from(this.#data.entities.keys()).filter(matches));
  }

  *groupCounts(selection: Selection, fields: readonly string[]): Steps<readonly GroupCount[]> {
    const groups = new Map<string, { values: readonly PropertyValue[]; count: number }>();
    for (const node of yield* this.select(selection)) {
      const values = fields.map((field) => this.nodeField(node, field) ?? null);
      const name = JSON.stringify(values);
      const group = groups.get(name);
      if (group) group.count++;
      else groups.set(name, { values, count: 1 });
    }
    return [...groups.values()];
  }

  *classCounts(nodes: Uint32Array): Steps<ReadonlyMap<string, number>> {
    yield;
    const groups = Map.groupBy(nodes, (node) => this.#input(node).class);
    return new Map([...groups].map(([name, members]) => [name, members.length]));
  }

  rangeOf({ names, filter }: Selection): NodeRange | undefined {
    if (filter !== undefined) return undefined;
    const nodes = this.#select({ names });
    const range = { start: Math.min(...nodes), end: Math.max(-1, ...nodes) + 1 };
    return nodes.length > 0 && range.end - range.start === nodes.length ? range : undefined;
  }

  matcher(selection: Selection): (node: number) => boolean {
    return (node) => {
      const own = namesOf(this.#input(node));
      const isNamed = selection.names === '*' || selection.names.some((name) => own.includes(name));
      return isNamed && (selection.filter === undefined || this.#passes(node, selection.filter));
    };
  }

  adjacency(verbs: VerbSelection, direction: Direction): NaiveAdjacency {
    const wanted = verbs === '*' ? '*' : new Set(verbs.map((verb) => verb.toUpperCase()));
    const links = this.#data.relationships.flatMap((item, link) =>
      wanted === '*' || wanted.has(item.verb.toUpperCase())
        ? [{ link, from: this.linkFrom(link), to: this.linkTo(link) }]
        : [],
    );
    return new NaiveAdjacency(links, direction);
  }

  compare(a: number, b: number): number {
    return Buffer.compare(this.#order[a] ?? Buffer.alloc(0), this.#order[b] ?? Buffer.alloc(0));
  }

  sort(nodes: Uint32Array): Uint32Array {
    return Uint32Array.from([...new Set(nodes)].sort((a, b) => this.compare(a, b)));
  }

  *sorted(nodes: Uint32Array): Steps<Uint32Array> {
    yield;
    return this.sort(nodes);
  }

  nodeById(id: string): number {
    return this.#nodeById.get(id) ?? -1;
  }

  linkById(id: string): number {
    return this.#data.relationships.findIndex((_, link) => this.linkField(link, '_id') === id);
  }

  nodeField(node: number, field: string): FieldValue {
    const { id, type, key, class: className, display_name, labels, source, ...stamp } = this.entity(node);
    const own: Record<string, FieldValue> = {
      class: className,
      display_name,
      _key: key,
      _type: type,
      _class: className,
      _labels: labels,
      _id: id,
      _source: source.connector_id,
      _created_at: stamp.created_at,
      _updated_at: stamp.updated_at,
      _last_seen_at: stamp.last_seen_at,
      _deleted_at: stamp.deleted_at,
    };
    return Object.hasOwn(own, field) ? own[field] : stamp.properties[propertyOfField(field) ?? ''];
  }

  nodeKind(node: number, name: string): StoredKind | undefined {
    return this.nodeKinds(node)?.[name];
  }

  nodeKinds(node: number): PropertyKinds | undefined {
    return this.#input(node).kinds;
  }

  hasKinds(name: string): boolean {
    return this.#data.entities.some(({ kinds }) => kinds?.[name] !== undefined);
  }

  linkKinds(link: number): PropertyKinds | undefined {
    return this.#link(link).kinds;
  }

  linkField(link: number, field: string): FieldValue {
    const { id, verb, key, source, properties, ...stamp } = this.relationship(link);
    const own: Record<string, FieldValue> = {
      verb,
      class: verb,
      _verb: verb,
      _id: id,
      _key: key,
      _source: source.connector_id,
      _created_at: stamp.created_at,
      _updated_at: stamp.updated_at,
      _last_seen_at: stamp.last_seen_at,
      _deleted_at: stamp.deleted_at,
    };
    return Object.hasOwn(own, field) ? own[field] : properties[propertyOfField(field) ?? ''];
  }

  linkVerb(link: number): string {
    return this.#link(link).verb;
  }

  linkFrom(link: number): number {
    return this.#end(this.#link(link).from);
  }

  linkTo(link: number): number {
    return this.#end(this.#link(link).to);
  }

  entity(node: number): Entity {
    const { type, key, class: className, displayName, labels, properties } = this.#input(node);
    const named = { id: entityId(type, key), type, class: className, key, display_name: displayName };
    return { ...named, ...(labels !== undefined && { labels }), properties, ...stamp() };
  }

  relationship(link: number): Relationship {
    const { from, verb, to, key, properties } = this.#link(link);
    const ends = {
      from: { id: entityId(from.type, from.key), type: from.type, key: from.key },
      to: { id: entityId(to.type, to.key), type: to.type, key: to.key },
    };
    const id = relationshipId(ends.from.id, verb, ends.to.id, key);
    return { id, verb, ...ends, ...(key === undefined ? {} : { key }), properties, ...stamp() };
  }

  writeEntity(node: number, sink: ByteSink): void {
    sink.writeText(JSON.stringify(this.entity(node)));
  }

  writeRelationship(link: number, sink: ByteSink): void {
    sink.writeText(JSON.stringify(this.relationship(link)));
  }

  #passes(node: number, filter: Filter): boolean {
    switch (filter.kind) {
      case 'test':
        return filter.test.matches(this.nodeField(node, filter.field));
      case 'and':
        return filter.items.every((item) => this.#passes(node, item));
      case 'or':
        return filter.items.some((item) => this.#passes(node, item));
      case 'not':
        return !this.#passes(node, filter.item);
    }
  }

  #input(node: number): EntityInput {
    const input = this.#data.entities[node];
    if (input === undefined) throw new RangeError(`no node ${String(node)}`);
    return input;
  }

  #link(link: number): RelationshipInput {
    const input = this.#data.relationships[link];
    if (input === undefined) throw new RangeError(`no link ${String(link)}`);
    return input;
  }

  #end(end: { readonly type: string; readonly key: string }): number {
    const node = this.#nodeByEnd.get(`${end.type}\0${end.key}`);
    if (node === undefined) throw new RangeError(`no entity ${end.type} ${end.key}`);
    return node;
  }
}

function namesOf({ type, class: className, labels = [] }: EntityInput): readonly string[] {
  return [type, className, ...labels];
}

interface RecordStamp {
  readonly source: Source;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_seen_at: string;
  readonly deleted_at: null;
  readonly version: number;
}

function stamp(): RecordStamp {
  const at = new Date(TEST_STAMP.atMs).toISOString();
  return {
    source: { connector_id: TEST_STAMP.connectorId, sync_id: TEST_STAMP.syncId, synced_at: at },
    created_at: at,
    updated_at: at,
    last_seen_at: at,
    deleted_at: null,
    version: TEST_STAMP.version,
  };
}

function kindOf(value: FieldValue): ValueKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) {
    const kind = kindOf(value.find((item) => item !== null) as FieldValue);
    return kind === undefined ? undefined : (`${kind}[]` as ValueKind);
  }
  return typeof value as ValueKind;
}
