import type {
  Adjacency,
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

/**
 * One immutable snapshot of a graph, read by the query engine. Nodes and links are dense integers below
 * `nodeBound` and `linkBound`; deleted ones are never returned unless the snapshot was taken with them.
 */
export interface GraphReader {
  readonly snapshotVersion: number;
  readonly nodeBound: number;
  readonly linkBound: number;
  /** Tells apart the parts of one snapshot that exist in different scopes; undefined: all of it. */
  readonly scopeKey?: string;

  /** Whether the data has an entity of this type or class. */
  hasName(name: string): boolean;
  /** Whether the data has a relationship of this verb, in any case of letters. */
  hasVerb(verb: string): boolean;
  /** All spellings of this verb that the data may have. */
  spellings(verb: string): readonly string[];
  /** Types and classes of the data, for hints; unordered. */
  names(): readonly string[];
  /** Verbs of the data, upper-cased, for hints; unordered. */
  verbs(): readonly string[];
  /** Property names on the types and classes of a selection, for hints; unordered. */
  propertyNames(names: readonly string[] | '*'): readonly string[];
  /** The kinds of a field's values on these types and classes, from statistics: never reads nodes. */
  valueKinds(names: readonly string[] | '*', field: string): readonly ValueKind[];

  /** An upper bound of {@link count} from statistics alone: never reads nodes. */
  estimate(selection: Selection): number;
  count(selection: Selection): Steps<number>;
  /** The selected nodes in result order: by type, then key, both in UTF-8 byte order. */
  select(selection: Selection): Steps<Uint32Array>;
  /** Exact sizes of the groups by one or more fields; unordered. `onGroup` is called for each new group. */
  groupCounts(
    selection: Selection,
    fields: readonly string[],
    onGroup?: () => void,
  ): Steps<readonly GroupCount[]>;
  /** The number of nodes of each class; unordered. */
  classCounts(nodes: Uint32Array): Steps<ReadonlyMap<string, number>>;
  /** The selected nodes, where they are known to be consecutive without a look at any; else undefined. */
  rangeOf(selection: Selection): NodeRange | undefined;
  /** Whether a node passes; compiled once, called often. */
  matcher(selection: Selection): (node: number) => boolean;

  adjacency(verbs: VerbSelection, direction: Direction): Adjacency;

  /** Result order of two nodes: negative, zero, positive. */
  compare(a: number, b: number): number;
  /** The distinct nodes in result order; may reuse the given array. For the nodes of one page. */
  sort(nodes: Uint32Array): Uint32Array;
  /** Like `sort`, in steps, for any number of nodes. */
  sorted(nodes: Uint32Array): Steps<Uint32Array>;
  /** −1 if the entity does not exist. */
  nodeById(id: string): number;
  /** −1 if the relationship does not exist. */
  linkById(id: string): number;

  /** Fields as in `Filter`; `undefined` when missing. */
  nodeField(node: number, field: string): FieldValue;
  /** The kind of a node's property where its JSON does not tell it. */
  nodeKind(node: number, name: string): StoredKind | undefined;
  nodeKinds(node: number): PropertyKinds | undefined;
  /** Whether any node may have a kind of this property: if not, {@link nodeKind} of it has none for any. */
  hasKinds(name: string): boolean;
  linkKinds(link: number): PropertyKinds | undefined;
  /** A property, or `verb`, `class` (the verb), `_id`, `_verb`, `_key`, `_source`, `_created_at`, … */
  linkField(link: number, field: string): FieldValue;
  linkVerb(link: number): string;
  linkFrom(link: number): number;
  linkTo(link: number): number;

  entity(node: number): Entity;
  relationship(link: number): Relationship;
  /** Writes the result of `JSON.stringify(entity(node))` from the stored bytes. */
  writeEntity(node: number, sink: ByteSink): void;
  writeRelationship(link: number, sink: ByteSink): void;
}
