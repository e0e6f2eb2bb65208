/**
 * The graph that a transaction reads and writes: a snapshot with its changes, which all reads honour. The
 * only owner of changes that are not yet committed.
 */
import { UNLABELLED } from '#graph/model';
import type { Steps } from '#platform/foundation';
import type { GraphWriter, LinkEnds } from '../graph/graph-writer.port.ts';
import type {
  Expansion,
  NodeIdentity,
  NodeSelection,
  PropertyGraph,
  StoredGraph,
} from '../graph/property-graph.port.ts';
import { isRecordField } from '../graph/snapshot-graph.ts';
import type { LinkDirection } from '../syntax/ast.ts';
import type { CypherMap, Value } from '../value/value.ts';
import type { LinkClaim, NodeClaim } from './claims.ts';
import { RunningCounters } from './counters.ts';
import { LinkChanges } from './link-changes.ts';
import {
  connectedFault,
  heldBy,
  type LinkChange,
  live,
  newElement,
  newNode,
  noteStored,
  newRecordField,
  type NodeChange,
  setValue,
  sizeOf,
  storable,
  storedLink,
  storedNode,
} from './element-change.ts';
import { NodeIndex } from './node-index.ts';
import { newLinkName, newNodeName } from './record-key.ts';
import { requireFewEnough, requireName } from './stored-value.ts';
import { UndoLog } from './undo-log.ts';

/** Numbers from here on are of new nodes and relationships: above any of a snapshot. */
const NEW_FROM = 2 ** 40;

export class TransactionGraph implements PropertyGraph, GraphWriter {
  /** Counters of the statement that runs. */
  counters = new RunningCounters();
  readonly nodeClaims: NodeClaim[] = [];
  readonly linkClaims: LinkClaim[] = [];
  readonly base: StoredGraph;
  readonly #nodes = new Map<number, NodeChange>();
  readonly #index = new NodeIndex(this.#nodes);
  readonly #links = new LinkChanges(NEW_FROM);
  /** Element ids of new nodes. */
  readonly #newIds = new Set<string>();
  /** Nodes whose labels or properties were changed since the constraints were tested. */
  readonly #touched = new Set<number>();
  /** Nodes that the running statement has deleted. */
  readonly #unchecked = new Set<number>();
  readonly #undo = new UndoLog();
  #nextNode = NEW_FROM;
  #deletedNodes = 0;
  #heldValues = 0;

  constructor(base: StoredGraph) {
    this.base = base;
  }

  /** Approximate number of values that the changes keep. */
  get heldValues(): number {
    return this.#heldValues;
  }

  get nodeChanges(): Iterable<readonly [number, NodeChange]> {
    return this.#nodes;
  }

  get linkChanges(): Iterable<readonly [number, LinkChange]> {
    return this.#links.all;
  }

  // --- reading ---------------------------------------------------------------------------------------------

  get snapshot(): PropertyGraph['snapshot'] {
    return this.#nodes.size === 0 && this.#links.size === 0 ? this.base.snapshot : undefined;
  }

  estimate(selection: NodeSelection): number {
    return this.base.estimate(selection) + this.#nodes.size;
  }

  *scan(selection: NodeSelection): Steps<Iterable<number>> {
    const stored = yield* this.base.scan(selection);
    if (this.#nodes.size === 0) return stored;
    const unchanged = Array.from(stored).filter((node) => !this.#nodes.has(node));
    return [...unchanged, ...this.#index.find(selection)];
  }

  expand(node: number, direction: LinkDirection, types: readonly string[] | '*'): Expansion {
    const stored = this.#nodes.get(node)?.isNew === true ? NOTHING : this.base.expand(node, direction, types);
    if (this.#links.size === 0 && this.#deletedNodes === 0) return stored;
    const { links, nodes } = this.#links.newLinksAt(node, direction, types);
    for (const [index, link] of stored.links.entries()) {
      if (this.#links.get(link)?.isDeleted === true) continue;
      links.push(link);
      nodes.push(stored.nodes[index] ?? 0);
    }
    if (this.#deletedNodes === 0) return { links, nodes };
    const isLeft = nodes.map((other) => this.#nodes.get(other)?.isDeleted !== true);
    return { links: links.filter((_, at) => isLeft[at]), nodes: nodes.filter((_, at) => isLeft[at]) };
  }

  degree(node: number, direction: LinkDirection, types: readonly string[] | '*'): number {
    const stored = this.#nodes.get(node)?.isNew === true ? 0 : this.base.degree(node, direction, types);
    return stored + this.#links.newAt(node).length;
  }

  labels(node: number): readonly string[] {
    const change = this.#nodes.get(node);
    return change === undefined ? this.base.labels(node) : [...live(change).labels];
  }

  hasLabel(node: number, label: string): boolean {
    const change = this.#nodes.get(node);
    return change === undefined ? this.base.hasLabel(node, label) : live(change).labels.has(label);
  }

  nodeProperty(node: number, key: string): Value {
    const change = this.#nodes.get(node);
    if (change === undefined) return this.base.nodeProperty(node, key);
    const value = live(change).properties.get(key);
    if (value !== undefined || !isRecordField(key)) return value ?? null;
    return change.isNew ? newRecordField(change, key) : this.base.nodeProperty(node, key);
  }

  nodeProperties(node: number): CypherMap {
    const change = this.#nodes.get(node);
    return change === undefined ? this.base.nodeProperties(node) : live(change).properties;
  }

  nodeElementId(node: number): string {
    return this.#nodes.get(node)?.elementId ?? this.base.nodeElementId(node);
  }

  type(link: number): string {
    return this.#links.get(link)?.type ?? this.base.type(link);
  }

  start(link: number): number {
    return this.#links.get(link)?.from ?? this.base.start(link);
  }

  end(link: number): number {
    return this.#links.get(link)?.to ?? this.base.end(link);
  }

  linkProperty(link: number, key: string): Value {
    const change = this.#links.get(link);
    if (change === undefined) return this.base.linkProperty(link, key);
    return live(change).properties.get(key) ?? null;
  }

  linkProperties(link: number): CypherMap {
    const change = this.#links.get(link);
    return change === undefined ? this.base.linkProperties(link) : live(change).properties;
  }

  linkElementId(link: number): string {
    return this.#links.get(link)?.elementId ?? this.base.linkElementId(link);
  }

  // --- writing ---------------------------------------------------------------------------------------------

  createNode(labels: readonly string[], properties: CypherMap): number {
    const [type = UNLABELLED] = labels;
    for (const label of labels) requireName('label', label);
    const name = newNodeName(
      type,
      properties.get('id'),
      (id) => this.#newIds.has(id) || this.base.hasNode(id),
    );
    const { elementId } = name;
    const change = newNode(name, type, labels, properties);
    const node = this.#nextNode++;
    this.#newIds.add(elementId);
    this.#nodes.set(node, change);
    this.#touched.add(node);
    this.#index.add(node, change);
    this.#undo.record(() => {
      this.#index.remove(node, change);
      for (const numbers of [this.#nodes, this.#touched]) numbers.delete(node);
      this.#newIds.delete(elementId);
    });
    this.counters.nodes_created++;
    this.counters.labels_added += change.labels.size;
    this.counters.properties_set += change.properties.size;
    this.#heldValues += heldBy(change);
    return node;
  }

  createLink(type: string, { from, to }: LinkEnds, properties: CypherMap): number {
    requireName('type', type);
    const names = { from: this.#liveElementId(from), type, to: this.#liveElementId(to) };
    const name = newLinkName(names, (id) => this.#links.hasId(id) || this.base.hasLink(id));
    const change = { ...newElement(name.elementId, storable(properties)), type, from, to, key: name.key };
    this.counters.relationships_created++;
    this.counters.properties_set += change.properties.size;
    this.#heldValues += heldBy(change);
    const link = this.#links.add(change);
    this.#undo.record(() => {
      this.#links.remove(link);
    });
    return link;
  }

  setNodeProperty(node: number, key: string, value: Value): void {
    const change = live(this.#changeOf(node));
    const before = change.properties.get(key) ?? null;
    if (!this.#set(change, key, value)) return;
    this.#index.setValue(node, key, { before, after: value });
    this.#undo.record(() => {
      this.#index.setValue(node, key, { before: value, after: before });
    });
    this.#touched.add(node);
  }

  setLinkProperty(link: number, key: string, value: Value): void {
    this.#set(live(this.#linkChangeOf(link)), key, value);
  }

  addLabel(node: number, label: string): void {
    const change = live(this.#changeOf(node));
    if (change.labels.has(label)) return;
    requireName('label', label);
    requireFewEnough(change.labels.size + 1, 0);
    this.#undoLabels(change, () => {
      change.labels.delete(label);
      this.#index.removeLabel(node, label);
    });
    change.labels.add(label);
    change.areLabelsChanged = true;
    this.#index.addLabel(node, label);
    this.#touched.add(node);
    this.counters.labels_added++;
    this.#heldValues++;
  }

  removeLabel(node: number, label: string): void {
    const change = live(this.#changeOf(node));
    if (!change.labels.delete(label)) return;
    this.#undoLabels(change, () => {
      change.labels.add(label);
      this.#index.addLabel(node, label);
    });
    change.areLabelsChanged = true;
    this.#index.removeLabel(node, label);
    this.counters.labels_removed++;
  }

  deleteNode(node: number): void {
    const change = this.#changeOf(node);
    if (change.isDeleted) return;
    this.#index.remove(node, change);
    change.isDeleted = true;
    this.#deletedNodes++;
    this.#unchecked.add(node);
    this.#undo.record(() => {
      change.isDeleted = false;
      this.#deletedNodes--;
      this.#unchecked.delete(node);
      this.#index.add(node, change);
    });
    this.counters.nodes_deleted++;
  }

  deleteLink(link: number): void {
    const change = this.#linkChangeOf(link);
    if (change.isDeleted) return;
    change.isDeleted = true;
    this.#undo.record(() => (change.isDeleted = false));
    this.counters.relationships_deleted++;
  }

  claimNode(labels: readonly string[], properties: CypherMap): void {
    this.nodeClaims.push({ labels, properties });
    this.#heldValues += 2 + properties.size;
  }

  claimLink(type: string, { from, to }: LinkEnds, properties: CypherMap): void {
    const ends = { from: this.nodeElementId(from), to: this.nodeElementId(to) };
    this.linkClaims.push({ type, ...ends, properties });
    this.#heldValues += 4 + properties.size;
  }

  linksOf(node: number): readonly number[] {
    const stored = this.#nodes.get(node)?.isNew === true ? [] : this.base.expand(node, 'any', '*').links;
    return [...stored, ...this.#links.newAt(node)].filter(
      (link) => this.#links.get(link)?.isDeleted !== true,
    );
  }

  /** What was changed since the last call. */
  takeTouched(): readonly (readonly [number, NodeChange])[] {
    const touched = [...this.#touched].flatMap((node) => {
      const change = this.#nodes.get(node);
      return change === undefined ? [] : [[node, change] as const];
    });
    this.#touched.clear();
    return touched;
  }

  nodeIdentity(node: number): NodeIdentity {
    return this.#nodes.get(node)?.identity ?? this.base.nodeIdentity(node);
  }

  beginStatement(): RunningCounters {
    return (this.counters = new RunningCounters());
  }

  /** Throws DeleteConnectedNode. */
  endStatement(): void {
    for (const node of this.#unchecked) {
      if (this.linksOf(node).length > 0) throw connectedFault();
    }
    this.#unchecked.clear();
  }

  /** Everything so far is in the store. */
  committed(): void {
    for (const change of this.#nodes.values()) {
      change.areLabelsChanged = false;
      noteStored(change);
    }
    for (const [, change] of this.#links.all) noteStored(change);
    this.nodeClaims.length = 0;
    this.linkClaims.length = 0;
  }

  /** From here on changes can be taken back. */
  mark(): void {
    this.#undo.mark();
    const [nodes, links] = [this.nodeClaims.length, this.linkClaims.length];
    const counters = Object.entries(this.counters);
    this.#undo.record(() => {
      this.nodeClaims.length = nodes;
      this.linkClaims.length = links;
      Object.assign(this.counters, Object.fromEntries(counters));
    });
  }

  /** Takes back what was changed since the mark, which is set again. */
  revert(): void {
    this.#undo.undo();
    this.mark();
  }

  #undoLabels(change: NodeChange, undo: () => void): void {
    const { areLabelsChanged } = change;
    this.#undo.record(() => {
      change.areLabelsChanged = areLabelsChanged;
      undo();
    });
  }

  #liveElementId(node: number): string {
    const change = this.#nodes.get(node);
    return change === undefined ? this.base.nodeElementId(node) : live(change).elementId;
  }

  #changeOf(node: number): NodeChange {
    const known = this.#nodes.get(node);
    if (known !== undefined) return known;
    const change = storedNode(this.base, node);
    this.#nodes.set(node, change);
    this.#index.add(node, change);
    this.#heldValues += heldBy(change);
    return change;
  }

  #linkChangeOf(link: number): LinkChange {
    const known = this.#links.get(link);
    if (known !== undefined) return known;
    const change = storedLink(this.base, link);
    this.#links.set(link, change);
    this.#heldValues += heldBy(change);
    return change;
  }

  /** Whether anything has changed; a property that is absent cannot be removed. */
  #set(change: NodeChange | LinkChange, key: string, value: Value): boolean {
    const undo = setValue(change, key, value);
    if (undo === undefined) return false;
    this.#undo.record(undo);
    if (value !== null) this.#heldValues += sizeOf(value);
    this.counters.properties_set++;
    return true;
  }
}

const NOTHING: Expansion = { links: [], nodes: [] };
