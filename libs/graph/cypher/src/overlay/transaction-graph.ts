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
import { runtimeFault } from '../syntax/fault.ts';
import type { CypherMap, Value } from '../value/value.ts';
import type { LinkClaim, NodeClaim } from './claims.ts';
import { RunningCounters } from './counters.ts';
import { LinkChanges } from './link-changes.ts';
import {
  type LinkChange,
  live,
  newElement,
  newRecordField,
  type NodeChange,
  sizeOf,
  storable,
  storedElement,
  VALUES_PER_ELEMENT,
} from './element-change.ts';
import { NodeIndex } from './node-index.ts';
import { newLinkName, newNodeName } from './record-key.ts';
import { requireFewEnough, requireKey, requireName, storedValueOf } from './stored-value.ts';

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
  readonly #estimates = new Map<string, number>();
  /** Element ids of new nodes. */
  readonly #newIds = new Set<string>();
  /** Nodes whose labels or properties were changed since the constraints were tested. */
  readonly #touched = new Set<number>();
  /** Nodes that the running statement has deleted. */
  readonly #unchecked = new Set<number>();
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

  /** Of the store; new nodes have their labels. */
  get hidesTypes(): boolean {
    return this.base.hidesTypes;
  }

  /** Asked once of the store: a plan is chosen anew for each statement and subquery. */
  estimate({ labels }: NodeSelection): number {
    const name = labels.length === 1 ? (labels[0] ?? '') : JSON.stringify(labels);
    const stored = this.#estimates.get(name) ?? this.base.estimate({ labels, equals: [] });
    this.#estimates.set(name, stored);
    return stored + this.#nodes.size;
  }

  *scan(selection: NodeSelection): Steps<Iterable<number>> {
    const stored = yield* this.base.scan(selection);
    if (this.#nodes.size === 0) return stored;
    const nodes: number[] = [];
    for (const node of stored) if (!this.#nodes.has(node)) nodes.push(node);
    for (const node of this.#index.find(selection)) nodes.push(node);
    return nodes;
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
    if (value !== undefined) return value;
    if (!isRecordField(key)) return null;
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
    return change === undefined
      ? this.base.linkProperty(link, key)
      : (live(change).properties.get(key) ?? null);
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
    const { key, elementId } = newNodeName(type, properties.get('id'), (id) => this.#isNodeTaken(id));
    const change: NodeChange = {
      ...newElement(elementId, storable(properties)),
      identity: { type, key, class: type },
      labels: new Set(labels),
      areLabelsChanged: true,
    };
    const node = this.#nextNode++;
    this.#newIds.add(elementId);
    this.#nodes.set(node, change);
    this.#touched.add(node);
    this.#index.add(node, change);
    this.counters.nodes_created++;
    this.counters.labels_added += change.labels.size;
    this.counters.properties_set += change.properties.size;
    this.#hold(change);
    return node;
  }

  createLink(type: string, { from, to }: LinkEnds, properties: CypherMap): number {
    requireName('type', type);
    const names = { from: this.#liveElementId(from), type, to: this.#liveElementId(to) };
    const name = newLinkName(names, (id) => this.#links.hasId(id) || this.base.hasLink(id));
    const change = { ...newElement(name.elementId, storable(properties)), type, from, to, key: name.key };
    this.counters.relationships_created++;
    this.counters.properties_set += change.properties.size;
    this.#hold(change);
    return this.#links.add(change);
  }

  setNodeProperty(node: number, key: string, value: Value): void {
    const change = live(this.#changeOf(node));
    const before = change.properties.get(key) ?? null;
    if (!this.#set(change, key, value)) return;
    this.#index.setValue(node, key, { before, after: value });
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
    this.counters.nodes_deleted++;
  }

  deleteLink(link: number): void {
    const change = this.#linkChangeOf(link);
    if (change.isDeleted) return;
    change.isDeleted = true;
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

  beginStatement(): void {
    this.counters = new RunningCounters();
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
      change.isStored = !change.isDeleted;
      change.areLabelsChanged = false;
      change.changedKeys.clear();
    }
    for (const [, change] of this.#links.all) {
      change.isStored = !change.isDeleted;
      change.changedKeys.clear();
    }
    this.nodeClaims.length = 0;
    this.linkClaims.length = 0;
  }

  #isNodeTaken(elementId: string): boolean {
    return this.#newIds.has(elementId) || this.base.hasNode(elementId);
  }

  #liveElementId(node: number): string {
    const change = this.#nodes.get(node);
    return change === undefined ? this.base.nodeElementId(node) : live(change).elementId;
  }

  #changeOf(node: number): NodeChange {
    const known = this.#nodes.get(node);
    if (known !== undefined) return known;
    const change: NodeChange = {
      ...storedElement(this.base.nodeElementId(node), this.base.nodeProperties(node)),
      identity: this.base.nodeIdentity(node),
      labels: new Set(this.base.labels(node)),
      areLabelsChanged: false,
    };
    this.#nodes.set(node, change);
    this.#index.add(node, change);
    this.#hold(change);
    return change;
  }

  #linkChangeOf(link: number): LinkChange {
    const known = this.#links.get(link);
    if (known !== undefined) return known;
    const change: LinkChange = {
      ...storedElement(this.base.linkElementId(link), this.base.linkProperties(link)),
      type: this.base.type(link),
      from: this.base.start(link),
      to: this.base.end(link),
      key: this.base.linkIdentity(link).key,
    };
    this.#links.set(link, change);
    this.#hold(change);
    return change;
  }

  /** Whether anything has changed; a property that is absent cannot be removed. */
  #set({ properties, changedKeys }: NodeChange | LinkChange, key: string, value: Value): boolean {
    if (value === null) {
      if (!properties.delete(key)) return false;
    } else {
      requireKey(key);
      storedValueOf(key, value);
      properties.set(key, value);
      requireFewEnough(0, properties.size);
      this.#heldValues += sizeOf(value);
    }
    changedKeys.add(key);
    this.counters.properties_set++;
    return true;
  }

  #hold({ properties }: NodeChange | LinkChange): void {
    this.#heldValues += VALUES_PER_ELEMENT;
    for (const value of properties.values()) this.#heldValues += sizeOf(value);
  }
}

function connectedFault(): Error {
  return runtimeFault(
    'DeleteConnectedNode',
    'Neo.ClientError.Schema.ConstraintValidationFailed',
    'a node with relationships cannot be deleted: delete them first, or use DETACH DELETE',
  );
}

const NOTHING: Expansion = { links: [], nodes: [] };
