/**
 * The view of one reader, or of the writer: the base, and a prefix of the delta's versions. Reads one node or
 * link at a time. *Hot path* of look-ups and replies.
 */
import { type FieldValue, type PropertyKinds, relationshipId, type StoredKind } from '#graph/model';
import type { Arena } from '../array/arena.ts';
import type { Base } from '../base/base.ts';
import type { HeadBytes } from '../head/head-window.ts';
import { type DecodedHead, decodeHeadAt } from '../head/item-head.ts';
import { decodeKinds } from '../head/kinds-text.ts';
import { LinkText } from '../head/link-text.ts';
import { readId } from '../name/id-index.ts';
import type { OwnerTable } from '../name/owner-table.ts';
import type { VerbTable } from '../name/verb-table.ts';
import { stampField, type StampFields } from '../stamp/stamp-table.ts';
import type { Stamp } from '../stamp/version.ts';
import type { Delta } from './delta.ts';
import { inputField } from '../column/content-field.ts';
import { LABELS_FIELD, labelsIn } from '../column/labels-field.ts';

export interface Names {
  readonly verbs: VerbTable;
  readonly owners: OwnerTable;
}

const idWords = new Uint32Array(4);

export class View {
  readonly base: Base;
  readonly delta: Delta;
  readonly names: Names;
  readonly nodeLimit: number;
  readonly linkLimit: number;
  #deletedLinks: Uint32Array | undefined;
  /** Nodes whose links were to be looked at. */
  #expected = 0;

  constructor(delta: Delta, names: Names, limits: { readonly nodes: number; readonly links: number }) {
    this.base = delta.base;
    this.delta = delta;
    this.names = names;
    this.nodeLimit = limits.nodes;
    this.linkLimit = limits.links;
  }

  nodeVersion(node: number): number {
    return this.nodeLimit === 0 ? 0 : this.delta.nodes.visible(node, this.nodeLimit);
  }

  linkVersion(link: number): number {
    return this.linkLimit === 0 ? 0 : this.delta.links.visible(link, this.linkLimit);
  }

  /** Includes deleted ones; −1 if unknown. */
  nodeById(id: string): number {
    if (!readId(id, idWords)) return -1;
    const node = this.base.findNode(idWords);
    if (node >= 0 || this.nodeLimit === 0) return node;
    const at = this.delta.nodeIds.find(idWords);
    return at >= 0 && this.nodeVersion(this.base.nodeCount + at) > 0 ? this.base.nodeCount + at : -1;
  }

  linkById(id: string): number {
    if (!readId(id, idWords)) return -1;
    const bits = idWords[0]!;
    const at = this.linkLimit === 0 ? -1 : this.delta.linkIds.find(idWords);
    if (at >= 0 && this.linkVersion(this.base.linkCount + at) > 0) return this.base.linkCount + at;
    return this.base.findLink(bits, (link) => this.linkId(link) === id);
  }

  nodeExists(node: number): boolean {
    return node < this.base.nodeCount || this.nodeVersion(node) > 0;
  }

  isNodeDeleted(node: number): boolean {
    const version = this.nodeVersion(node);
    return version === 0 ? node >= this.base.liveNodes : this.delta.nodes.isDeleted.data[version] === 1;
  }

  isLinkDeleted(link: number): boolean {
    const version = this.linkVersion(link);
    return version === 0 ? link >= this.base.liveLinks : this.delta.links.isDeleted.data[version] === 1;
  }

  /**
   * The base's live links that are deleted here, as bits; undefined until the links of so many nodes were to
   * be looked at that finding them costs less than a look at each link's versions.
   */
  deletedLinks(nodes: number): Uint32Array | undefined {
    this.#expected += nodes;
    const { liveLinks } = this.base;
    if (this.#expected < this.linkLimit + (liveLinks >>> 5)) return undefined;
    return (this.#deletedLinks ??= this.delta.links.deletedBits(liveLinks, this.linkLimit));
  }

  /** The node's head, valid until another one is read. */
  head(node: number): HeadBytes {
    const content = this.#nodeContent(this.nodeVersion(node));
    if (content === 0) return this.base.head(node);
    const { arena, heads } = this.delta;
    const reference = heads.data[content]!;
    return { bytes: arena.chunk(reference), start: arena.start(reference), end: arena.end(reference) };
  }

  nodeType(node: number): string {
    return node < this.base.nodeCount
      ? this.base.segmentOf(node).type
      : String(this.nodeField(node, '_type'));
  }

  nodeId(node: number): string {
    const { nodeCount } = this.base;
    return node < nodeCount ? this.base.nodeId(node) : this.delta.nodeIds.text(node - nodeCount);
  }

  /** The node's content, decoded from its head: properties are in the order of the bytes. */
  input(node: number): DecodedHead {
    const { bytes, start, end } = this.head(node);
    return decodeHeadAt(bytes, start, end);
  }

  nodeStamp(node: number): Stamp {
    const version = this.nodeVersion(node);
    if (version === 0) return this.base.stamps.get(this.base.nodeStamps[node]!);
    return this.delta.stamps.get(this.delta.nodes.stamp.data[version]!);
  }

  nodeStampFields(node: number): StampFields {
    const version = this.nodeVersion(node);
    if (version === 0) return this.base.stamps.fields(this.base.nodeStamps[node]!);
    return this.delta.stamps.fields(this.delta.nodes.stamp.data[version]!);
  }

  linkStampFields(link: number): StampFields {
    const version = this.linkVersion(link);
    if (version === 0) return this.base.stamps.fields(this.base.linkStamps[link]!);
    return this.delta.stamps.fields(this.delta.links.stamp.data[version]!);
  }

  renderedNodeStamp(node: number): Uint8Array {
    const version = this.nodeVersion(node);
    if (version === 0) return this.base.stamps.rendered(this.base.nodeStamps[node]!);
    return this.delta.stamps.rendered(this.delta.nodes.stamp.data[version]!);
  }

  nodeOwners(node: number): readonly string[] {
    const version = this.nodeVersion(node);
    return this.names.owners.get(
      version === 0 ? this.base.nodeOwners[node]! : this.delta.nodes.owners.data[version]!,
    );
  }

  /** The kinds of a node's properties that JSON does not tell; undefined if there are none. */
  nodeKinds(node: number): PropertyKinds | undefined {
    const content = this.#nodeContent(this.nodeVersion(node));
    if (content !== 0) return this.delta.input(content).kinds;
    if (this.base.segmentOf(node).kinded.size === 0) return undefined;
    const { bytes, end } = this.base.head(node);
    return decodeKinds(bytes, end);
  }

  /** Like {@link nodeKinds}, of one property; reads nothing where no entity of the type has one. */
  nodeKind(node: number, name: string): StoredKind | undefined {
    const isOfBase = this.#nodeContent(this.nodeVersion(node)) === 0;
    if (isOfBase && !this.base.segmentOf(node).kinded.has(name)) return undefined;
    return this.nodeKinds(node)?.[name];
  }

  /** Whether any node may have a kind of this property. */
  hasKinds(name: string): boolean {
    if (this.nodeLimit > 0 && this.delta.kinded.has(name)) return true;
    return this.base.segments.some(({ kinded }) => kinded.has(name));
  }

  /** The node's labels in addition to type and class; undefined if it has none. */
  labels(node: number): readonly string[] | undefined {
    return labelsIn(this.nodeField(node, LABELS_FIELD));
  }

  nodeField(node: number, field: string): FieldValue {
    const version = this.nodeVersion(node);
    if (version === 0) return this.#baseField(node, field);
    return this.versionField(version, field);
  }

  /** A field of one version of a node in the delta. */
  versionField(version: number, field: string): FieldValue {
    const { nodes, stamps } = this.delta;
    const node = nodes.item.data[version]!;
    const content = nodes.content.data[version]!;
    const told = field.startsWith('_')
      ? stampField(stamps.get(nodes.stamp.data[version]!), field)
      : undefined;
    if (told !== undefined) return told;
    if (content === 0) return this.#baseField(node, field);
    const input = this.delta.input(content);
    return field === '_id' ? this.nodeId(node) : inputField(input, field);
  }

  linkVerbNumber(link: number): number {
    const content = this.#linkContent(this.linkVersion(link));
    return content === 0 ? this.base.linkVerbs[link]! : this.delta.linkVerbs.data[content]!;
  }

  linkVerb(link: number): string {
    return this.names.verbs.written[this.linkVerbNumber(link)]!;
  }

  linkText(link: number): LinkText {
    const content = this.#linkContent(this.linkVersion(link));
    if (content !== 0) return this.linkContentText(content);
    return linkTextAt(this.base.linkArena, this.base.linkReferences[link] ?? 0);
  }

  /** The text of one content in the delta. */
  linkContentText(content: number): LinkText {
    return linkTextAt(this.delta.arena, this.delta.linkTexts.data[content]!);
  }

  linkId(link: number): string {
    if (link >= this.base.linkCount) return this.delta.linkIds.text(link - this.base.linkCount);
    const { linkFrom, linkTo } = this.base;
    return relationshipId(
      this.nodeId(linkFrom[link]!),
      this.linkVerb(link),
      this.nodeId(linkTo[link]!),
      this.linkText(link).key,
    );
  }

  linkStamp(link: number): Stamp {
    const version = this.linkVersion(link);
    if (version === 0) return this.base.stamps.get(this.base.linkStamps[link]!);
    return this.delta.stamps.get(this.delta.links.stamp.data[version]!);
  }

  renderedLinkStamp(link: number): Uint8Array {
    const version = this.linkVersion(link);
    if (version === 0) return this.base.stamps.rendered(this.base.linkStamps[link]!);
    return this.delta.stamps.rendered(this.delta.links.stamp.data[version]!);
  }

  linkOwners(link: number): readonly string[] {
    const version = this.linkVersion(link);
    return this.names.owners.get(
      version === 0 ? this.base.linkOwners[link]! : this.delta.links.owners.data[version]!,
    );
  }

  #nodeContent(version: number): number {
    return version === 0 ? 0 : this.delta.nodes.content.data[version]!;
  }

  #linkContent(version: number): number {
    return version === 0 ? 0 : this.delta.links.content.data[version]!;
  }

  #baseField(node: number, field: string): FieldValue {
    const segment = this.base.segmentOf(node);
    return segment.value(node - segment.start, field);
  }
}

function linkTextAt(arena: Arena, reference: number): LinkText {
  if (reference === 0) return LinkText.plain;
  return new LinkText(arena.chunk(reference), arena.start(reference), arena.end(reference));
}
