/**
 * The result of a query as numbers: the complete list of nodes or rows of one snapshot. A page is converted
 * to values only on request, so that a result behind a cursor costs 4 bytes per node.
 */
import type { FieldValue, Warning } from '#graph/model';
import type { FoundPath } from '#graph/execution';

/** A readable plan: operators, their operands and estimated sizes. */
export interface PlanTree {
  /** `Select`, `Hop`, `Keep`, `Absent`, `Rows`, `Group`, `Order`, … */
  readonly operator: string;
  /** Its operand, as PQL. */
  readonly detail: string;
  readonly estimated_rows?: number;
  /** Number of rows that came out; known after PROFILE only, as `ms` is. */
  readonly actual_rows?: number;
  /** Time of the operator and of its inputs. */
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
  /** Values of the aggregates, with the names of their columns. */
  readonly aggregates: readonly (readonly [string, Cell])[];
}

export interface ImpactedEntity {
  readonly node: number;
  readonly depth: number;
  /** The relationship that reached it. */
  readonly via: number;
}

/** The part of a result from an offset on, besides entities; empty if there are only entities. */
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

/** The counts and pages of a result. */
export type ResultKind = 'entities' | 'rows' | 'groups' | 'count' | 'paths' | 'impacted' | 'plan';

export interface QueryResult {
  readonly kind: ResultKind;
  /** Exact number of results over all pages. */
  readonly count: number;
  /** Number of items over all pages: like `count`, but 0 without items to show (RETURN COUNT, EXPLAIN). */
  readonly length: number;
  /** Approximate memory in bytes. Measured on demand, since it is rarely needed and takes time. */
  memory(): number;
  readonly snapshotVersion: number;
  readonly warnings: readonly Warning[];
  /** Column names of a row. */
  readonly columns?: readonly string[];
  /** Number of reached entities by class, over all pages of a blast radius; names ascending. */
  readonly impactedByClass?: readonly (readonly [string, number])[];
  /** The plan, for EXPLAIN and PROFILE. */
  readonly plan?: PlanTree;
  /** The page of at most `limit` items from `offset` on. */
  entities(offset: number, limit: number): Uint32Array;
  items(offset: number, limit: number): QueryItems;
  page(offset: number, limit: number): QueryPage;
}
