import type { GraphReader } from '#graph/execution';
import type { Filter } from '#graph/model';
import type { Steps } from '#platform/foundation';
import type { LinkDirection } from '../syntax/ast.ts';
import type { CypherMap, Value } from '../value/value.ts';

/** Relationships found at a node: the relationship, and the node at its other end. */
export interface Expansion {
  readonly links: readonly number[];
  readonly nodes: readonly number[];
}

/** Which nodes a scan begins with: those with all labels, and with these values of properties. */
export interface NodeSelection {
  readonly labels: readonly string[];
  /** Each property has one of its values, which are never null, a map, a list or an element of the graph. */
  readonly equals: readonly (readonly [key: string, values: readonly Value[]])[];
  /** Further conditions that the store can test; undefined where it cannot. */
  readonly filter?: ((reader: GraphReader) => Filter | undefined) | undefined;
}

/** Type and key of the entity that a node is. */
export interface NodeIdentity {
  readonly type: string;
  readonly key: string;
  readonly class: string;
}

/** What names the relationship of the store that a link is, beside its type. */
export interface LinkIdentity {
  readonly from: NodeIdentity;
  readonly to: NodeIdentity;
  readonly key: string | undefined;
}

/** The graph as Cypher sees it. Nodes and relationships are integers that stand for one snapshot. */
export interface PropertyGraph {
  /** The snapshot itself, where no change lies over it: patterns may be searched there as sets. */
  readonly snapshot: GraphReader | undefined;
  /** An upper bound of the number of nodes; costs nothing. */
  estimate(selection: NodeSelection): number;
  /** At least the nodes of the selection, each once; the caller tests properties again. */
  scan(selection: NodeSelection): Steps<Iterable<number>>;
  /** A self-link once. Types are compared exactly; `'*'` means all. */
  expand(node: number, direction: LinkDirection, types: readonly string[] | '*'): Expansion;
  /** About how many relationships {@link expand} looks at. */
  degree(node: number, direction: LinkDirection, types: readonly string[] | '*'): number;

  labels(node: number): readonly string[];
  hasLabel(node: number, label: string): boolean;
  nodeProperty(node: number, key: string): Value;
  nodeProperties(node: number): CypherMap;
  /** Globally unique and stable. */
  nodeElementId(node: number): string;

  type(link: number): string;
  start(link: number): number;
  end(link: number): number;
  linkProperty(link: number, key: string): Value;
  linkProperties(link: number): CypherMap;
  linkElementId(link: number): string;
}

/** A graph of the store, over which a transaction keeps its changes. */
export interface StoredGraph extends PropertyGraph {
  nodeIdentity(node: number): NodeIdentity;
  linkIdentity(link: number): LinkIdentity;
  hasNode(elementId: string): boolean;
  hasLink(elementId: string): boolean;
}
