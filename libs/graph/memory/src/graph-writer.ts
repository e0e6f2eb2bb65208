/**
 * The writer's side of the graph in memory: latest versions, durable or not, tombstones included. *Hot path*
 * of ingest.
 */
import { completed } from '#platform/foundation';
import { GraphAdjacency } from './adjacency/graph-adjacency.ts';
import type { Base } from './base/base.ts';
import { Delta } from './delta/delta.ts';
import type { VersionLog } from './delta/version-log.ts';
import { type Names, View } from './delta/view.ts';
import { encodeLinkText } from './head/link-text.ts';
import { LatestEntity, LatestRelationship, ownedItems } from './latest-items.ts';
import { readId } from './name/id-index.ts';
import { ChangeLog } from './schema/change-log.ts';
import { LiveCounts } from './schema/live-counts.ts';
import { Replay, type VersionLimits } from './seal/replay.ts';
import type {
  EntityState,
  EntityVersion,
  RelationshipState,
  RelationshipVersion,
  Sighting,
  Stamp,
} from './stamp/version.ts';
import type { Named } from './column/labels-field.ts';

const ALL = { nodes: Number.MAX_SAFE_INTEGER, links: Number.MAX_SAFE_INTEGER };

export class GraphWriter {
  /** Sequence number of the last applied write. */
  readonly changes = new ChangeLog();
  readonly #id = new Uint32Array(4);
  readonly #names: Names;
  readonly #counts: LiveCounts;
  readonly #links = { count: 0, nodes: new Uint32Array(16), links: new Uint32Array(16) };
  #delta: Delta;
  #view: View;
  #adjacency: GraphAdjacency | undefined;

  protected constructor(base: Base, names?: Names) {
    this.#names = names ?? { verbs: base.verbTable(), owners: base.ownerTable() };
    this.#counts = LiveCounts.of(base, this.#names.verbs.groupNames);
    this.#delta = new Delta(base);
    this.#view = this.viewOf(ALL);
  }

  /** −1 when unknown; finds tombstones too. */
  findEntity(id: string): number {
    return this.#view.nodeById(id);
  }

  /** −1 when unknown or deleted. */
  findLiveEntity(id: string): number {
    const node = this.#view.nodeById(id);
    return node >= 0 && this.#view.isNodeDeleted(node) ? -1 : node;
  }

  entityState(node: number): EntityState {
    return new LatestEntity(this.#view, node);
  }

  /** Whether the latest version's head equals these bytes, deleted or not. */
  hasSameContent(node: number, head: Uint8Array): boolean {
    const { bytes, start, end } = this.#view.head(node);
    return end - start === head.length && bytes.compare(head, 0, head.length, start, end) === 0;
  }

  /**
   * Puts a new entity, new content, or a deleted entity again. Sequence numbers never decrease. `known` is
   * the result of {@link findEntity}, if the caller has it.
   */
  putEntity(seq: number, version: EntityVersion, known = this.findEntity(version.id)): number {
    let node = known;
    if (node >= 0) this.#noteEntity(seq, node, -1);
    else {
      if (!readId(version.id, this.#id)) throw new RangeError('an entity id has 32 hex digits');
      node = this.#delta.addNode(this.#id);
    }
    const content = this.#delta.addHead(version.head, version.input);
    this.#appendNode(seq, node, { content, isDeleted: false }, version);
    this.#noteNames(seq, version.input ?? this.#view.input(node), 1);
    return node;
  }

  /** Changes the stamp only. */
  touchEntity(seq: number, node: number, sighting: Sighting): void {
    const isDeleted = this.#view.isNodeDeleted(node);
    this.changes.touched(seq);
    this.#appendNode(seq, node, { content: this.#nodeContent(node), isDeleted }, sighting);
  }

  /** The stamp has `deletedAtMs`. The caller deletes the node's relationships. */
  deleteEntity(seq: number, node: number, stamp: Stamp): void {
    this.#noteEntity(seq, node, -1);
    const kept = { stamp, owners: this.#view.nodeOwners(node) };
    this.#appendNode(seq, node, { content: this.#nodeContent(node), isDeleted: true }, kept);
  }

  /** −1 when unknown; finds tombstones too. */
  findRelationship(id: string): number {
    return this.#view.linkById(id);
  }

  relationshipState(link: number): RelationshipState {
    return new LatestRelationship(this.#view, link);
  }

  /** Whether the verb, as written, and the properties equal those of the latest version. */
  hasSameProperties(link: number, verb: string, propertiesJson: Uint8Array): boolean {
    if (this.#view.linkVerb(link) !== verb) return false;
    return Buffer.compare(this.#view.linkText(link).propertiesJson(), propertiesJson) === 0;
  }

  /**
   * Puts a new relationship, new content, or a deleted relationship again. Both ends must exist. `known` is
   * the result of {@link findRelationship}, if the caller has it.
   */
  putRelationship(
    seq: number,
    version: RelationshipVersion,
    known = this.findRelationship(version.id),
  ): number {
    let link = known;
    const text = encodeLinkText(version.key, version.propertiesJson);
    if (link >= 0) this.#noteRelationship(seq, link, -1);
    else {
      if (!readId(version.id, this.#id)) throw new RangeError('a relationship id has 32 hex digits');
      link = this.#delta.addLink(this.#id, version);
    }
    const content = this.#delta.addLinkContent(text, this.#names.verbs.intern(version.verb));
    this.#appendLink(seq, link, { content, isDeleted: false }, version);
    this.#delta.reviveLink(link);
    this.#noteRelationship(seq, link, 1);
    return link;
  }

  touchRelationship(seq: number, link: number, sighting: Sighting): void {
    const isDeleted = this.#view.isLinkDeleted(link);
    this.changes.touched(seq);
    this.#appendLink(seq, link, { content: this.#linkContent(link), isDeleted }, sighting);
  }

  deleteRelationship(seq: number, link: number, stamp: Stamp): void {
    this.#noteRelationship(seq, link, -1);
    const kept = { stamp, owners: this.#view.linkOwners(link) };
    this.#appendLink(seq, link, { content: this.#linkContent(link), isDeleted: true }, kept);
    if (link < this.base.liveLinks) this.#delta.hasChangedLinks = true;
  }

  /** Live links in the writer's view, in both directions, each once. Valid until the next call. */
  linksOf(node: number): Uint32Array {
    this.#adjacency ??= new GraphAdjacency({
      view: this.#view,
      retention: undefined,
      verbs: '*',
      direction: 'any',
    });
    this.#adjacency.read(node, this.#links);
    return this.#links.links.slice(0, this.#links.count);
  }

  /** Live in the writer's view. */
  ownedEntities(connectorId: string): Uint32Array {
    const { base, nodes } = this.#delta;
    const flags = this.#names.owners.holding(connectorId);
    return ownedItems(nodes, { owners: base.nodeOwners, liveCount: base.liveNodes, flags });
  }

  ownedRelationships(connectorId: string): Uint32Array {
    const { base, links } = this.#delta;
    const flags = this.#names.owners.holding(connectorId);
    return ownedItems(links, { owners: base.linkOwners, liveCount: base.liveLinks, flags });
  }

  protected get base(): Base {
    return this.#delta.base;
  }

  protected get delta(): Delta {
    return this.#delta;
  }

  protected get names(): Names {
    return this.#names;
  }

  protected get counts(): LiveCounts {
    return this.#counts;
  }

  protected get writerView(): View {
    return this.#view;
  }

  protected viewOf(limits: { readonly nodes: number; readonly links: number }): View {
    return new View(this.#delta, this.#names, limits);
  }

  /** Drops the versions after the first `limits`. */
  protected dropAfter(limits: VersionLimits): void {
    const { nodes, links } = this.#delta;
    const droppedNodes = itemsAfter(nodes, limits.nodeLimit);
    const droppedLinks = itemsAfter(links, limits.linkLimit);
    for (const node of droppedNodes) this.#countEntity(node, -1);
    for (const link of droppedLinks) this.#countRelationship(link, -1);
    this.replaceDelta(completed(Replay.prefix(this.#view, limits)));
    for (const node of droppedNodes) if (node < this.#delta.nodes.bound) this.#countEntity(node, 1);
    for (const link of droppedLinks) if (link < this.#delta.links.bound) this.#countRelationship(link, 1);
  }

  protected replaceDelta(delta: Delta): void {
    this.#delta = delta;
    this.#view = this.viewOf(ALL);
    this.#adjacency = undefined;
  }

  #nodeContent(node: number): number {
    return this.#delta.nodes.content.data[this.#view.nodeVersion(node)]!;
  }

  #linkContent(link: number): number {
    return this.#delta.links.content.data[this.#view.linkVersion(link)]!;
  }

  #appendNode(seq: number, item: number, what: VersionContent, { stamp, owners }: Sighting): void {
    const stampNumber = this.#delta.stamps.intern(stamp);
    const ownersNumber = this.#names.owners.intern(owners);
    const { content, isDeleted } = what;
    this.#delta.nodes.append({ seq, item, content, stamp: stampNumber, owners: ownersNumber, isDeleted });
  }

  #appendLink(seq: number, item: number, what: VersionContent, { stamp, owners }: Sighting): void {
    const stampNumber = this.#delta.stamps.intern(stamp);
    const ownersNumber = this.#names.owners.intern(owners);
    const { content, isDeleted } = what;
    this.#delta.links.append({ seq, item, content, stamp: stampNumber, owners: ownersNumber, isDeleted });
  }

  /** Counts the state before a change (−1) or after it; deleted records do not count. */
  #noteEntity(seq: number, node: number, by: 1 | -1): void {
    if (this.#view.isNodeDeleted(node)) return;
    this.#noteNames(seq, this.#namesOf(node), by);
  }

  #noteNames(seq: number, named: Named, by: 1 | -1): void {
    if (this.#counts.entities + Math.min(0, by) === 0) this.changes.emptied(seq);
    this.#counts.addEntity(named, by);
    this.changes.entity(seq, named);
  }

  #namesOf(node: number): Named {
    return {
      type: this.#view.nodeType(node),
      class: String(this.#view.nodeField(node, 'class')),
      labels: this.#view.labels(node),
    };
  }

  #noteRelationship(seq: number, link: number, by: 1 | -1): void {
    if (this.#view.isLinkDeleted(link)) return;
    const verb = this.#verbOf(link);
    this.#counts.addRelationship(verb, by);
    this.changes.relationship(seq, verb);
  }

  /** Reverts the counts of a dropped change, which the change log keeps. */
  #countEntity(node: number, by: 1 | -1): void {
    if (!this.#view.isNodeDeleted(node)) this.#counts.addEntity(this.#namesOf(node), by);
  }

  #countRelationship(link: number, by: 1 | -1): void {
    if (!this.#view.isLinkDeleted(link)) this.#counts.addRelationship(this.#verbOf(link), by);
  }

  #verbOf(link: number): string {
    const { groups, groupNames } = this.#names.verbs;
    return groupNames[groups[this.#view.linkVerbNumber(link)]!]!;
  }
}

/** Each item with a version after the first `limit`, once. */
function itemsAfter(log: VersionLog, limit: number): ReadonlySet<number> {
  return new Set(log.item.data.subarray(limit + 1, log.item.length));
}

interface VersionContent {
  readonly content: number;
  readonly isDeleted: boolean;
}
