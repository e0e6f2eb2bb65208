/**
 * A pinned view of the graph for the query engine. Keeps its base and delta in memory while it is referenced.
 */

import type {
  ByteSink,
  Direction,
  Entity,
  FieldValue,
  GroupCount,
  Relationship,
  Selection,
  ValueKind,
  VerbSelection,
} from '#graph/model';
import { completed, type Steps } from '#platform/foundation';
import { GraphAdjacency } from '../adjacency/graph-adjacency.ts';
import { LinkRetention } from '../adjacency/retention.ts';
import type { View } from '../delta/view.ts';
import { keyAt, typeAt, valueEnd } from '../head/json-scan.ts';
import type { DeltaSchema } from '../schema/delta-schema.ts';
import { type KindsByName, segmentKinds } from '../schema/segment-schema.ts';
import { stampField } from '../stamp/stamp-table.ts';
import { countClasses } from './class-counter.ts';
import { GroupCounter, wholeGroups } from './group-counter.ts';
import { ReadOrder } from './node-order.ts';
import type { Selector } from './selector.ts';
import { KeptBase, type SharedSnapshot, shareView, sharedParts } from './shared-snapshot.ts';
import type { SnapshotParts } from './snapshot-parts.ts';

/** Fields that every entity has. */
const OWN_FIELDS: ReadonlySet<string> = new Set(
  ['class', 'display_name', '_key', '_type', '_class', '_id', '_source', '_created_at', '_updated_at', '_last_seen_at', '_deleted_at'],
); // prettier-ignore

/**
 * Implements the query engine's port, which this library may not import; type checks of its users verify it.
 */
export class GraphSnapshot {
  readonly snapshotVersion: number;
  readonly includesDeleted: boolean;
  readonly #view: View;
  readonly #schema: DeltaSchema;
  readonly #selector: Selector;
  readonly #order: ReadOrder;
  readonly #deletedSinceMs: number;
  /** Set for a snapshot with deleted records. */
  readonly #retention: LinkRetention | undefined;
  readonly #onRelease: () => void;
  #isReleased = false;

  /** Restores the snapshot of {@link share} on another thread, over the same memory. */
  static attach(shared: SharedSnapshot, kept = new KeptBase()): GraphSnapshot {
    return new GraphSnapshot(sharedParts(shared, kept));
  }

  constructor({ seq, view, selector, schema, includeDeleted, deletedSinceMs, onRelease }: SnapshotParts) {
    this.snapshotVersion = seq;
    this.includesDeleted = includeDeleted;
    this.#view = view;
    this.#schema = schema;
    this.#selector = selector;
    this.#order = new ReadOrder(view);
    this.#deletedSinceMs = deletedSinceMs;
    this.#retention = includeDeleted ? new LinkRetention(view, deletedSinceMs) : undefined;
    this.#onRelease = onRelease;
  }

  get nodeBound(): number {
    return this.#view.delta.nodes.bound;
  }

  get linkBound(): number {
    return this.#view.delta.links.bound;
  }

  /**
   * Reports the end of reads, for statistics only: the garbage collector frees the memory.
   */
  release(): void {
    if (!this.#isReleased) this.#onRelease();
    this.#isReleased = true;
  }

  /** This snapshot as data for another thread; most of it is passed by reference. */
  share(): SharedSnapshot {
    return shareView(this.#view, {
      seq: this.snapshotVersion,
      includeDeleted: this.includesDeleted,
      deletedSinceMs: this.#deletedSinceMs,
    });
  }

  hasName(name: string): boolean {
    const isHinted = this.#selector.segmentsNamed([name]).length > 0 || this.#schema.kinds([name]).length > 0;
    return isHinted && completed(this.#selector.hasAny(this.#kept({ names: [name] })));
  }

  hasVerb(verb: string): boolean {
    const group = this.#view.names.verbs.group(verb);
    if (group < 0) return false;
    const count = this.#view.base.linksOf(group, this.includesDeleted);
    return count > this.#view.linkLimit || this.#hasLink(group, count);
  }

  names(): readonly string[] {
    const base = this.#selector.segments.flatMap(({ type, classes }) => [type, ...classes]);
    return [...new Set(this.#view.nodeLimit === 0 ? base : [...base, ...this.#schema.names()])];
  }

  verbs(): readonly string[] {
    return this.#view.names.verbs.groupNames.filter((verb) => this.hasVerb(verb));
  }

  propertyNames(names: readonly string[] | '*'): readonly string[] {
    const found = new Set<string>();
    for (const kinds of this.#kinds(names)) for (const name of kinds.keys()) found.add(name);
    return [...found];
  }

  valueKinds(names: readonly string[] | '*', field: string): readonly ValueKind[] {
    const all = this.#kinds(names);
    if (OWN_FIELDS.has(field)) return all.length > 0 ? ['string'] : [];
    const found = new Set<ValueKind>();
    for (const kinds of all) for (const kind of kinds.get(field) ?? []) found.add(kind);
    return [...found];
  }

  estimate(selection: Selection): number {
    return this.#selector.estimate(this.#kept(selection));
  }

  count(selection: Selection): Steps<number> {
    return this.#selector.count(this.#kept(selection));
  }

  select(selection: Selection): Steps<Uint32Array> {
    return this.#selector.select(this.#kept(selection), this.#order);
  }

  *groupCounts(
    selection: Selection,
    fields: readonly string[],
    onGroup: () => void = () => undefined,
  ): Steps<readonly GroupCount[]> {
    const kept = this.#kept(selection);
    const segments = this.#selector.segmentsNamed(kept.names);
    const whole = this.#view.nodeLimit === 0 ? wholeGroups(segments, kept, { fields, onGroup }) : undefined;
    if (whole !== undefined) return whole;
    const counter = new GroupCounter(fields, onGroup);
    for (const segment of segments) yield* counter.addSegment(segment, kept);
    if (this.#view.nodeLimit > 0) yield* counter.addVersions(this.#view, this.#selector, kept);
    return yield* counter.groups();
  }

  classCounts(nodes: Uint32Array): Steps<ReadonlyMap<string, number>> {
    return countClasses(this.#view, nodes);
  }

  matcher(selection: Selection): (node: number) => boolean {
    return this.#selector.matcher(this.#kept(selection));
  }

  adjacency(verbs: VerbSelection, direction: Direction): GraphAdjacency {
    return new GraphAdjacency({ view: this.#view, retention: this.#retention, verbs, direction });
  }

  compare(a: number, b: number): number {
    return this.#order.compare(a, b);
  }

  sort(nodes: Uint32Array): Uint32Array {
    return this.#order.sort(nodes);
  }

  sorted(nodes: Uint32Array): Steps<Uint32Array> {
    return this.#order.sorted(nodes);
  }

  nodeById(id: string): number {
    const node = this.#view.nodeById(id);
    if (node < 0) return -1;
    const isHidden = this.#retention?.isNodeExpired(node) ?? this.#view.isNodeDeleted(node);
    return isHidden ? -1 : node;
  }

  linkById(id: string): number {
    const link = this.#view.linkById(id);
    if (link < 0) return -1;
    const isHidden = this.#retention?.isLinkExpired(link) ?? this.#view.isLinkDeleted(link);
    return isHidden ? -1 : link;
  }

  /** The connectors that own a node, with their marks. */
  nodeOwners(node: number): readonly string[] {
    return this.#view.nodeOwners(node);
  }

  linkOwners(link: number): readonly string[] {
    return this.#view.linkOwners(link);
  }

  nodeField(node: number, field: string): FieldValue {
    return this.#view.nodeField(node, field);
  }

  linkField(link: number, field: string): FieldValue {
    switch (field) {
      case 'verb':
      case '_verb':
      case 'class':
        return this.linkVerb(link);
      case '_id':
        return this.#view.linkId(link);
      case '_key':
        return this.#view.linkText(link).key;
      default:
        return stampField(this.#view.linkStamp(link), field) ?? this.#linkProperty(link, field);
    }
  }

  linkVerb(link: number): string {
    return this.#view.linkVerb(link);
  }

  linkFrom(link: number): number {
    return this.#view.delta.from(link);
  }

  linkTo(link: number): number {
    return this.#view.delta.to(link);
  }

  entity(node: number): Entity {
    const { id, type, key, class: className, displayName, properties } = this.#view.input(node);
    const stamp = this.#view.nodeStampFields(node);
    return {
      id,
      type,
      class: className,
      key,
      display_name: displayName,
      properties,
      source: stamp.source,
      created_at: stamp.created_at,
      updated_at: stamp.updated_at,
      last_seen_at: stamp.last_seen_at,
      deleted_at: stamp.deleted_at,
      version: stamp.version,
    };
  }

  relationship(link: number): Relationship {
    const text = this.#view.linkText(link);
    const { key } = text;
    return {
      id: this.#view.linkId(link),
      verb: this.linkVerb(link),
      from: this.#end(this.linkFrom(link)),
      to: this.#end(this.linkTo(link)),
      ...(key === undefined ? {} : { key }),
      properties: text.properties(),
      ...this.#view.linkStampFields(link),
    };
  }

  writeEntity(node: number, sink: ByteSink): void {
    const head = this.#view.head(node);
    const tail = this.#view.renderedNodeStamp(node);
    sink.writeBytes(head.bytes, head.start, head.end);
    sink.writeBytes(tail, 0, tail.length);
  }

  writeRelationship(link: number, sink: ByteSink): void {
    renderRelationship(this.#view, link, sink);
  }

  #kept(selection: Selection): Selection {
    return this.#retention?.narrowed(selection) ?? selection;
  }

  /** Whether a relationship of the verb is left of `count` ones of the base, or was added. */
  #hasLink(group: number, count: number): boolean {
    const { base, delta, linkLimit, names } = this.#view;
    const { links } = delta;
    let left = count;
    for (let version = 1; version <= linkLimit; version++) {
      const link = links.item.data[version] ?? 0;
      if (names.verbs.groups[this.#view.linkVerbNumber(link)] !== group) continue;
      if (!links.isVisible(version, linkLimit)) continue;
      if (this.includesDeleted || links.isDeleted.data[version] === 0) return true;
      if (link < base.liveLinks) left--;
    }
    return left > 0;
  }

  #kinds(names: readonly string[] | '*'): KindsByName[] {
    const base = this.#selector.segmentsNamed(names).flatMap((segment) => segmentKinds(segment, names));
    return this.#view.nodeLimit === 0 ? base : [...base, ...this.#schema.kinds(names)];
  }

  #linkProperty(link: number, field: string): FieldValue {
    const properties = this.#view.linkText(link).properties();
    return Object.hasOwn(properties, field) ? properties[field] : undefined;
  }

  #end(node: number): { readonly id: string; readonly type: string; readonly key: string } {
    return {
      id: this.#view.nodeId(node),
      type: String(this.#view.nodeField(node, '_type')),
      key: String(this.#view.nodeField(node, '_key')),
    };
  }
}

/** Writes the JSON of a relationship, with texts copied from their arena. */
function renderRelationship(view: View, link: number, sink: ByteSink): void {
  const text = view.linkText(link);
  const tail = view.renderedLinkStamp(link);
  sink.writeText(`{"id":"${view.linkId(link)}","verb":${JSON.stringify(view.linkVerb(link))},"from":`);
  writeEnd(view, view.delta.from(link), sink);
  sink.writeText(',"to":');
  writeEnd(view, view.delta.to(link), sink);
  sink.writeText(',');
  sink.writeBytes(text.bytes, text.start, text.end);
  sink.writeBytes(tail, 0, tail.length);
}

function writeEnd(view: View, node: number, sink: ByteSink): void {
  const { bytes, start } = view.head(node);
  const keyStart = keyAt(bytes, start);
  sink.writeBytes(bytes, start, valueEnd(bytes, typeAt(start)));
  sink.writeText(',"key":');
  sink.writeBytes(bytes, keyStart, valueEnd(bytes, keyStart));
  sink.writeText('}');
}
