/**
 * A pinned view of the graph for the query engine. Keeps its base and delta in memory while it is referenced.
 */

import type {
  ByteSink,
  Direction,
  Entity,
  FieldValue,
  GroupCount,
  NodeRange,
  PropertyKinds,
  Relationship,
  Selection,
  StoredKind,
  ValueKind,
  VerbSelection,
} from '#graph/model';
import type { Steps } from '#platform/foundation';
import { GraphAdjacency } from '../adjacency/graph-adjacency.ts';
import { LinkRetention } from '../adjacency/retention.ts';
import { propertyIn } from '../column/content-field.ts';
import type { View } from '../delta/view.ts';
import { keyAt, typeAt, valueEnd } from '../head/json-scan.ts';
import { shownEnd } from '../head/kinds-text.ts';
import { findNames, type NameSearch } from './find-names.ts';
import { stampField } from '../stamp/stamp-table.ts';
import { countClasses } from './class-counter.ts';
import { GroupCounter, keepGroups, knownGroups, type WholeSegments } from './group-counter.ts';
import { takesWhole } from './segment-filter.ts';
import type { Selector } from './selector.ts';
import { KeptBase, type SharedSnapshot, shareView, sharedParts } from './shared-snapshot.ts';
import type { SnapshotParts } from './snapshot-parts.ts';
import { SnapshotSchema, type TypeCounts } from './snapshot-schema.ts';
import { LABELS_FIELD } from '../column/labels-field.ts';

/** Fields that every entity has. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(
  ['class', 'display_name', '_key', '_type', '_class', '_id', '_source', '_created_at', '_updated_at', '_last_seen_at', '_deleted_at'],
); // prettier-ignore

/**
 * Implements the query engine's port, which this library may not import; type checks of its users verify it.
 */
export class GraphSnapshot {
  readonly snapshotVersion: number;
  readonly includesDeleted: boolean;
  readonly #view: View;
  readonly #schema: SnapshotSchema;
  readonly #selector: Selector;
  readonly #deletedSinceMs: number;
  /** Tells which deleted links are visible; set for a snapshot with deleted records. */
  readonly #retention: LinkRetention | undefined;
  readonly #onRelease: () => void;
  #isReleased = false;

  /** Restores the snapshot of {@link share} on another thread, over the same memory. */
  static attach(shared: SharedSnapshot, kept = new KeptBase()): GraphSnapshot {
    return new GraphSnapshot(sharedParts(shared, kept));
  }

  constructor({ seq, view, selector, changes, includeDeleted, deletedSinceMs, onRelease }: SnapshotParts) {
    this.snapshotVersion = seq;
    this.includesDeleted = includeDeleted;
    this.#view = view;
    this.#selector = selector;
    this.#deletedSinceMs = deletedSinceMs;
    this.#retention = includeDeleted ? new LinkRetention(view, deletedSinceMs) : undefined;
    this.#schema = new SnapshotSchema({ view, selector, changes, retention: this.#retention });
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
    return this.#schema.counts([name]).size > 0;
  }

  hasVerb(verb: string): boolean {
    const group = this.#view.names.verbs.group(verb);
    if (group < 0) return false;
    const count = this.#view.base.linksOf(group, this.includesDeleted);
    return (this.#retention === undefined && count > this.#view.linkLimit) || this.#hasLink(group, count);
  }

  spellings(verb: string): readonly string[] {
    return this.#view.names.verbs.spellings(verb);
  }

  names(): readonly string[] {
    return this.#schema.names();
  }

  verbs(): readonly string[] {
    return this.#view.names.verbs.groupNames.filter((verb) => this.hasVerb(verb));
  }

  propertyNames(names: readonly string[] | '*'): readonly string[] {
    const { properties } = this.#schema.counts(names);
    return [...properties].flatMap(([name, { count }]) => (count > 0 ? [name] : []));
  }

  valueKinds(names: readonly string[] | '*', field: string): readonly ValueKind[] {
    const { size, labelled, properties } = this.#schema.counts(names);
    if (OWN_FIELDS.has(field)) return size > 0 ? ['string'] : [];
    if (field === LABELS_FIELD) return labelled > 0 ? ['string[]'] : [];
    return [...(properties.get(field)?.kinds ?? [])].flatMap(([kind, count]) => (count > 0 ? [kind] : []));
  }

  /** Counts of the live entities of each type; some may be empty. */
  typeCounts(): ReadonlyMap<string, TypeCounts> {
    return this.#schema.types();
  }

  estimate(selection: Selection): number {
    return this.#selector.estimate(this.#kept(selection));
  }

  count(selection: Selection): Steps<number> {
    return this.#selector.count(this.#kept(selection));
  }

  select(selection: Selection): Steps<Uint32Array> {
    return this.#selector.select(this.#kept(selection));
  }

  *groupCounts(
    selection: Selection,
    fields: readonly string[],
    onGroup: () => void = () => undefined,
  ): Steps<readonly GroupCount[]> {
    const kept = this.#kept(selection);
    const segments = this.#selector.segmentsNamed(kept.names);
    const isBase = this.#view.nodeLimit === 0;
    const changes = isBase ? undefined : yield* this.#selector.overlay.changes(kept, fields);
    const isSame = isBase || changes?.isEmpty === true;
    const whole = isSame ? this.#wholeSegments(kept, fields) : undefined;
    const known = whole && (yield* knownGroups(whole, onGroup));
    if (known !== undefined) return known;
    const counter = new GroupCounter(fields, onGroup);
    for (const segment of segments) yield* counter.addSegment(segment, kept);
    if (changes !== undefined) yield* counter.addChanges(changes, kept);
    else if (!isBase) yield* counter.addVersions(this.#view, this.#selector, kept);
    const groups = yield* counter.groups();
    if (whole !== undefined) keepGroups(whole, groups);
    return groups;
  }

  /** The segments that may have nodes of the selection, if it takes all of them. */
  #wholeSegments(selection: Selection, fields: readonly string[]): WholeSegments | undefined {
    const segments = this.#selector.segmentsNamed(selection.names);
    const isWhole = segments.every((segment) => takesWhole(segment, selection));
    return isWhole ? { base: this.#view.base, segments, fields } : undefined;
  }

  classCounts(nodes: Uint32Array): Steps<ReadonlyMap<string, number>> {
    return countClasses(this.#view, nodes);
  }

  /** Finds live nodes by a text in their names; whether all were looked at. */
  findNames(search: NameSearch): Steps<boolean> {
    return findNames(this.#view, search);
  }

  rangeOf(selection: Selection): NodeRange | undefined {
    return this.#selector.rangeOf(this.#kept(selection));
  }

  matcher(selection: Selection): (node: number) => boolean {
    return this.#selector.matcher(this.#kept(selection));
  }

  adjacency(verbs: VerbSelection, direction: Direction): GraphAdjacency {
    return new GraphAdjacency({ view: this.#view, retention: this.#retention, verbs, direction });
  }

  compare(a: number, b: number): number {
    return this.#selector.order.compare(a, b);
  }

  sort(nodes: Uint32Array): Uint32Array {
    return this.#selector.order.sort(nodes);
  }

  sorted(nodes: Uint32Array): Steps<Uint32Array> {
    return this.#selector.order.sorted(nodes);
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

  nodeType(node: number): string {
    return this.#view.nodeType(node);
  }

  nodeField(node: number, field: string): FieldValue {
    return this.#view.nodeField(node, field);
  }

  nodeKind(node: number, name: string): StoredKind | undefined {
    return this.#view.nodeKind(node, name);
  }

  nodeKinds(node: number): PropertyKinds | undefined {
    return this.#view.nodeKinds(node);
  }

  hasKinds(name: string): boolean {
    return this.#view.hasKinds(name);
  }

  linkKinds(link: number): PropertyKinds | undefined {
    return this.#view.linkText(link).kinds();
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
    const { id, type, key, class: className, displayName, labels, properties } = this.#view.input(node);
    const stamp = this.#view.nodeStampFields(node);
    return {
      id,
      type,
      class: className,
      key,
      display_name: displayName,
      ...(labels !== undefined && { labels }),
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
    sink.writeBytes(head.bytes, head.start, shownEnd(head.bytes, head.end));
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
    const { delta, linkLimit } = this.#view;
    const { links } = delta;
    const gone = new Set(this.#retention?.expiredLinks().filter((link) => this.#isInGroup(link, group)));
    for (let version = 1; version <= linkLimit; version++) {
      const link = links.item.data[version] ?? 0;
      if (!this.#isInGroup(link, group) || !links.isVisible(version, linkLimit)) continue;
      if (this.includesDeleted ? !gone.has(link) : links.isDeleted.data[version] === 0) return true;
      gone.add(link);
    }
    const boundary = this.includesDeleted ? this.#view.base.linkCount : this.#view.base.liveLinks;
    return count > Array.from(gone).filter((link) => link < boundary).length;
  }

  #isInGroup(link: number, group: number): boolean {
    return this.#view.names.verbs.groups[this.#view.linkVerbNumber(link)] === group;
  }

  #linkProperty(link: number, field: string): FieldValue {
    return propertyIn(this.#view.linkText(link).properties(), field);
  }

  #end(node: number): { readonly id: string; readonly type: string; readonly key: string } {
    return {
      id: this.#view.nodeId(node),
      type: this.#view.nodeType(node),
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
  sink.writeBytes(text.bytes, text.start, text.shownEnd);
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
