/** The records that the nodes and relationships of a result stand for. */
import type { GraphSnapshot } from '#graph/memory';
import type { Entity, Relationship } from '#graph/model';
import type { TransactionGraph } from '../overlay/transaction-graph.ts';

/** What stands for an element. */
export interface ElementForms {
  entity(node: number): unknown;
  relationship(link: number): unknown;
}

/** The records that elements are; null for one that the statement has deleted. */
export interface ElementDocuments extends ElementForms {
  readonly snapshotVersion: number;
  entity(node: number): Entity | null;
  relationship(link: number): Relationship | null;
}

/** The records after the commit: numbers of nodes are those of the snapshot before it. */
export class WrittenDocuments implements ElementDocuments {
  readonly snapshotVersion: number;
  readonly #graph: TransactionGraph;
  readonly #after: GraphSnapshot;

  constructor(graph: TransactionGraph, after: GraphSnapshot) {
    this.#graph = graph;
    this.#after = after;
    this.snapshotVersion = after.snapshotVersion;
    after.release();
  }

  entity(node: number): Entity | null {
    const found = this.#after.nodeById(this.#graph.nodeElementId(node));
    return found < 0 ? null : this.#after.entity(found);
  }

  relationship(link: number): Relationship | null {
    const found = this.#after.linkById(this.#graph.linkElementId(link));
    return found < 0 ? null : this.#after.relationship(found);
  }
}
