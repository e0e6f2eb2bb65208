/**
 * A snapshot in which only exists what a scope shows. Every selection is narrowed to the scope, so that
 * indexes go on answering; links are tested by their ends. Estimates are of the whole graph: they choose
 * plans, and are never shown.
 */
import {
  type ByteSink,
  type Direction,
  type Entity,
  type FieldValue,
  type Filter,
  type GroupCount,
  hasSource,
  type PropertyKinds,
  readsSources,
  type Relationship,
  type Scope,
  scopeFilter,
  scopeKey,
  type Selection,
  type StoredKind,
  type ValueKind,
  type VerbSelection,
} from '#graph/model';
import { completed, type Steps } from '#platform/foundation';
import { LABELS_FIELD } from '../column/labels-field.ts';
import { addTo } from '../schema/entity-counts.ts';
import type { GraphSchema } from '../schema/graph-schema.ts';
import { collectSchema } from '../snapshot/collect-schema.ts';
import type { NameSearch } from '../snapshot/find-names.ts';
import { type GraphSnapshot, OWN_FIELDS } from '../snapshot/graph-snapshot.ts';
import { ScopedAdjacency, type Visibility } from './scoped-adjacency.ts';
import { ScopedSchema } from './scoped-schema.ts';

const NODES_PER_STEP = 64;

export class ScopedSnapshot {
  readonly scopeKey: string;
  readonly #inner: GraphSnapshot;
  readonly #now: GraphSnapshot | undefined;
  readonly #filter: Filter;
  readonly #visibility: Visibility;
  readonly #schema: ScopedSchema;
  readonly #spellings = new Map<string, readonly string[]>();

  /** The part of a snapshot that exists in a scope; without one, the snapshot. */
  static within(snapshot: GraphSnapshot, scope: Scope | undefined): GraphSnapshot | ScopedSnapshot {
    return scope === undefined ? snapshot : new ScopedSnapshot(snapshot, scope);
  }

  /**
   * `now`: a later snapshot, deleted records included. What is hidden there is hidden in the past as well:
   * a scope that hides something today is not meant to show it as of yesterday.
   */
  constructor(inner: GraphSnapshot, scope: Scope, now?: GraphSnapshot) {
    this.scopeKey = scopeKey(scope);
    this.#inner = inner;
    this.#now = now;
    const later = now && shownIn(now, scope);
    this.#filter = later === undefined ? scopeFilter(scope) : both(scopeFilter(scope), later.filter);
    const isFrom = (link: number): boolean => hasSource(scope, String(inner.linkField(link, '_source')));
    const isShown = (link: number): boolean => later?.hasLink(String(inner.linkField(link, '_id'))) !== false;
    this.#visibility = {
      hasNode: inner.matcher({ names: '*', filter: this.#filter }),
      hasLink: readsSources(scope) || now !== undefined ? (link) => isFrom(link) && isShown(link) : undefined,
    };
    this.#schema = new ScopedSchema(inner, (selection) => this.#narrowed(selection));
  }

  get snapshotVersion(): number {
    return this.#inner.snapshotVersion;
  }

  get nodeBound(): number {
    return this.#inner.nodeBound;
  }

  get linkBound(): number {
    return this.#inner.linkBound;
  }

  release(): void {
    this.#inner.release();
    this.#now?.release();
  }

  hasName(name: string): boolean {
    return completed(this.count({ names: [name] })) > 0;
  }

  hasVerb(verb: string): boolean {
    return this.spellings(verb).length > 0;
  }

  spellings(verb: string): readonly string[] {
    const name = verb.toUpperCase();
    let found = this.#spellings.get(name);
    if (found === undefined) this.#spellings.set(name, (found = this.#spelled(verb)));
    return found;
  }

  names(): readonly string[] {
    return this.#schema.names();
  }

  verbs(): readonly string[] {
    return this.#inner.verbs().filter((verb) => this.hasVerb(verb));
  }

  propertyNames(names: readonly string[] | '*'): readonly string[] {
    const { properties } = this.#schema.counts(names);
    return [...properties].flatMap(([name, { count }]) => (count > 0 ? [name] : []));
  }

  valueKinds(names: readonly string[] | '*', field: string): readonly ValueKind[] {
    const exists = (selection: Selection): boolean => completed(this.count(selection)) > 0;
    if (OWN_FIELDS.has(field)) return exists({ names }) ? ['string'] : [];
    if (field === LABELS_FIELD) {
      const { labelled } = this.#schema.counts(names);
      return labelled > 0 ? ['string[]'] : [];
    }
    const kinds = this.#schema.counts(names).properties.get(field)?.kinds ?? [];
    return [...kinds].flatMap(([kind, count]) => (count > 0 ? [kind] : []));
  }

  /** Of the whole graph: never shown. */
  estimate(selection: Selection): number {
    return this.#inner.estimate(this.#narrowed(selection));
  }

  count(selection: Selection): Steps<number> {
    return this.#inner.count(this.#narrowed(selection));
  }

  select(selection: Selection): Steps<Uint32Array> {
    return this.#inner.select(this.#narrowed(selection));
  }

  groupCounts(
    selection: Selection,
    fields: readonly string[],
    onGroup?: () => void,
  ): Steps<readonly GroupCount[]> {
    return this.#inner.groupCounts(this.#narrowed(selection), fields, onGroup);
  }

  classCounts(nodes: Uint32Array): Steps<ReadonlyMap<string, number>> {
    return this.#inner.classCounts(nodes);
  }

  findNames({ text, isWanted, visit }: NameSearch): Steps<boolean> {
    const { hasNode } = this.#visibility;
    return this.#inner.findNames({ text, visit, isWanted: (node) => hasNode(node) && isWanted(node) });
  }

  matcher(selection: Selection): (node: number) => boolean {
    return this.#inner.matcher(this.#narrowed(selection));
  }

  /** What a scope shows of a type is not consecutive. */
  rangeOf(): undefined {
    return undefined;
  }

  adjacency(verbs: VerbSelection, direction: Direction): ScopedAdjacency {
    return new ScopedAdjacency(this.#inner.adjacency(verbs, direction), this.#visibility);
  }

  compare(a: number, b: number): number {
    return this.#inner.compare(a, b);
  }

  sort(nodes: Uint32Array): Uint32Array {
    return this.#inner.sort(nodes);
  }

  sorted(nodes: Uint32Array): Steps<Uint32Array> {
    return this.#inner.sorted(nodes);
  }

  nodeById(id: string): number {
    const node = this.#inner.nodeById(id);
    return node >= 0 && this.#visibility.hasNode(node) ? node : -1;
  }

  linkById(id: string): number {
    const link = this.#inner.linkById(id);
    if (link < 0) return -1;
    const { hasNode, hasLink } = this.#visibility;
    const exists = hasNode(this.linkFrom(link)) && hasNode(this.linkTo(link)) && hasLink?.(link) !== false;
    return exists ? link : -1;
  }

  nodeOwners(node: number): readonly string[] {
    return this.#inner.nodeOwners(node);
  }

  linkOwners(link: number): readonly string[] {
    return this.#inner.linkOwners(link);
  }

  nodeType(node: number): string {
    return this.#inner.nodeType(node);
  }

  nodeField(node: number, field: string): FieldValue {
    return this.#inner.nodeField(node, field);
  }

  nodeKind(node: number, name: string): StoredKind | undefined {
    return this.#inner.nodeKind(node, name);
  }

  nodeKinds(node: number): PropertyKinds | undefined {
    return this.#inner.nodeKinds(node);
  }

  hasKinds(name: string): boolean {
    return this.#inner.hasKinds(name);
  }

  linkKinds(link: number): PropertyKinds | undefined {
    return this.#inner.linkKinds(link);
  }

  linkField(link: number, field: string): FieldValue {
    return this.#inner.linkField(link, field);
  }

  linkVerb(link: number): string {
    return this.#inner.linkVerb(link);
  }

  linkFrom(link: number): number {
    return this.#inner.linkFrom(link);
  }

  linkTo(link: number): number {
    return this.#inner.linkTo(link);
  }

  entity(node: number): Entity {
    return this.#inner.entity(node);
  }

  relationship(link: number): Relationship {
    return this.#inner.relationship(link);
  }

  writeEntity(node: number, sink: ByteSink): void {
    this.#inner.writeEntity(node, sink);
  }

  writeRelationship(link: number, sink: ByteSink): void {
    this.#inner.writeRelationship(link, sink);
  }

  /** The schema of what exists, with counts. */
  *schema(): Steps<GraphSchema> {
    return collectSchema(yield* this.#schema.types(), yield* this.#verbCounts());
  }

  *#verbCounts(): Steps<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const outgoing = this.adjacency('*', 'out');
    const buffer = { count: 0, nodes: new Uint32Array(64), links: new Uint32Array(64) };
    for (const [at, node] of (yield* this.select({ names: '*' })).entries()) {
      outgoing.read(node, buffer);
      for (let index = 0; index < buffer.count; index++)
        addTo(counts, this.linkVerb(buffer.links[index] ?? 0).toUpperCase(), 1);
      if (at % NODES_PER_STEP === NODES_PER_STEP - 1) yield;
    }
    return counts;
  }

  /** Reads links until one of each spelling is found. */
  #spelled(verb: string): readonly string[] {
    const left = new Set(this.#inner.hasVerb(verb) ? this.#inner.spellings(verb) : []);
    const found: string[] = [];
    const outgoing = this.adjacency([verb], 'out');
    const buffer = { count: 0, nodes: new Uint32Array(64), links: new Uint32Array(64) };
    for (const node of left.size === 0 ? [] : completed(this.select({ names: '*' }))) {
      outgoing.read(node, buffer);
      for (const link of buffer.links.subarray(0, buffer.count)) {
        const spelling = this.linkVerb(link);
        if (left.delete(spelling)) found.push(spelling);
      }
      if (left.size === 0) break;
    }
    return found;
  }

  #narrowed({ names, filter }: Selection): Selection {
    return {
      names,
      filter: filter === undefined ? this.#filter : both(filter, this.#filter),
    };
  }
}

function both(first: Filter, second: Filter): Filter {
  return { kind: 'and', items: [first, second] };
}

/** What exists in the scope, or nowhere, in a snapshot: by id, since numbers are of one snapshot. */
function shownIn(
  snapshot: GraphSnapshot,
  scope: Scope,
): { readonly filter: Filter; readonly hasLink: (id: string) => boolean } {
  const shown = new ScopedSnapshot(snapshot, scope);
  const hasNode = (id: string): boolean => snapshot.nodeById(id) < 0 || shown.nodeById(id) >= 0;
  return {
    filter: { kind: 'test', field: '_id', test: { matches: (id) => hasNode(String(id)) } },
    hasLink: (id) => snapshot.linkById(id) < 0 || shown.linkById(id) >= 0,
  };
}
