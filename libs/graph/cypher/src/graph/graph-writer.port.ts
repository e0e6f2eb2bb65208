import type { CypherMap, Value } from '../value/value.ts';

/** The ends of a relationship: nodes. */
export interface LinkEnds {
  readonly from: number;
  readonly to: number;
}

/** Changes of a graph, which all later reads see. Throws DeletedEntityAccess unless it says otherwise. */
export interface GraphWriter {
  createNode(labels: readonly string[], properties: CypherMap): number;
  createLink(type: string, ends: LinkEnds, properties: CypherMap): number;
  /** Sets a property; null removes it. */
  setNodeProperty(node: number, key: string, value: Value): void;
  setLinkProperty(link: number, key: string, value: Value): void;
  addLabel(node: number, label: string): void;
  removeLabel(node: number, label: string): void;
  /** No error for one that is deleted. Its relationships must be deleted before the statement ends. */
  deleteNode(node: number): void;
  /** No error for one that is deleted. */
  deleteLink(link: number): void;
  /** All relationships of a node, deleted or not itself. */
  linksOf(node: number): readonly number[];
  /** What MERGE has not found and created must not come from another transaction meanwhile. */
  claimNode(labels: readonly string[], properties: CypherMap): void;
  claimLink(type: string, ends: LinkEnds, properties: CypherMap): void;

  /** From here on changes can be taken back. */
  mark(): void;
  /** Takes back what was changed since the mark, which is set again. */
  revert(): void;
}
