/**
 * What a query has found, held as numbers: the complete list of nodes or rows of one snapshot. A page of it
 * is turned into values only when it is asked for, so that a result behind a cursor costs 4 bytes a node.
 */
import type { FieldValue, Warning } from '#graph/model';

/** A plan as a person reads it: what is done, to what, and how much of it is expected. */
export interface PlanTree {
  /** `Select`, `Hop`, `Keep`, `Absent`, `Rows`, `Group`, `Order`, … */
  readonly operator: string;
  /** What it works on, in the words of PQL. */
  readonly detail: string;
  readonly estimated_rows?: number;
  /** PROFILE only, as `ms`. */
  readonly actual_rows?: number;
  /** With what it works on. */
  readonly ms?: number;
  readonly children: readonly PlanTree[];
}

/** A whole entity in a cell. */
export class NodeCell {
  readonly node: number;

  constructor(node: number) {
    this.node = node;
  }
}

/** A whole relationship in a cell. */
export class LinkCell {
  readonly link: number;

  constructor(link: number) {
    this.link = link;
  }
}

/** `null` and `undefined` are both null in a reply. */
export type Cell = FieldValue | NodeCell | LinkCell;

export interface GroupRow {
  readonly keys: readonly Cell[];
  readonly count: number;
  /** By column name. */
  readonly aggregates: readonly (readonly [string, Cell])[];
}

export interface FoundPath {
  readonly nodes: Uint32Array;
  /** One fewer than nodes. */
  readonly links: Uint32Array;
}

export interface ImpactedEntity {
  readonly node: number;
  readonly depth: number;
  /** The relationship that reached it. */
  readonly via: number;
}

/** What a reply shows of a result from an offset on, beside entities; nothing where those are all. */
export interface QueryItems {
  readonly rows?: readonly (readonly Cell[])[];
  readonly groups?: readonly GroupRow[];
  readonly paths?: readonly FoundPath[];
  readonly impacted?: readonly ImpactedEntity[];
}

/** Nodes are those of the result's snapshot. */
export interface QueryPage extends QueryItems {
  /** The page's FIND entities, the nodes of its paths, or its impacted entities; distinct. */
  readonly entities: Uint32Array;
}

/** What a result counts and pages by. */
export type ResultKind = 'entities' | 'rows' | 'groups' | 'count' | 'paths' | 'impacted' | 'plan';

export interface QueryResult {
  readonly kind: ResultKind;
  /** Exact, over all pages. */
  readonly count: number;
  /** What pages are cut from: as `count`, but 0 where there is nothing to show (RETURN COUNT, EXPLAIN). */
  readonly length: number;
  /** About how many bytes it holds on to. Measured when asked: few are, and it takes a while. */
  memory(): number;
  readonly snapshotVersion: number;
  readonly warnings: readonly Warning[];
  /** Names of the cells of a row. */
  readonly columns?: readonly string[];
  /** Reached entities by their class, over all pages of a blast radius; names ascending. */
  readonly impactedByClass?: readonly (readonly [string, number])[];
  /** EXPLAIN and PROFILE. */
  readonly plan?: PlanTree;
  /** Of the page of at most `limit` from `offset` on. */
  entities(offset: number, limit: number): Uint32Array;
  items(offset: number, limit: number): QueryItems;
  page(offset: number, limit: number): QueryPage;
}
