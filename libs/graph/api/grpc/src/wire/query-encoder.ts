import type { GraphReader } from '#graph/execution';
import {
  type Cell,
  type FoundPath,
  type GroupRow,
  type ImpactedEntity,
  LinkCell,
  NodeCell,
  type PlanTree,
  type QueryItems,
  type QueryResult,
} from '#graph/query';
import type {
  CellSent,
  GroupSent,
  ImpactedSent,
  PathSent,
  PlanSent,
  QueryItemSent,
  QuerySummarySent,
} from '../generated/graph-messages.ts';
import { RecordEncoder, warningToWire } from './record-encoder.ts';

/** Number of items decoded at a time. */
const ITEMS_PER_PAGE = 256;

/** Encodes the items of a result as messages, one after another. */
export class QueryEncoder {
  readonly #result: QueryResult;
  readonly #reader: GraphReader;
  readonly #records = new RecordEncoder();

  constructor(result: QueryResult, reader: GraphReader) {
    this.#result = result;
    this.#reader = reader;
  }

  /** Approximate size of all items encoded so far. */
  get bytes(): number {
    return this.#records.bytes;
  }

  *items(): Generator<QueryItemSent> {
    for (let start = 0; start < this.#result.length; start += ITEMS_PER_PAGE) yield* this.#page(start);
  }

  summary(tookMs: number): QuerySummarySent {
    const { count, warnings, impactedByClass, plan } = this.#result;
    return {
      count,
      warnings: warnings.map(warningToWire),
      tookMs,
      ...(impactedByClass !== undefined && { impactedByClass: Object.fromEntries(impactedByClass) }),
      ...(plan !== undefined && { plan: planToWire(plan) }),
    };
  }

  *#page(start: number): Generator<QueryItemSent> {
    const { impacted, paths, groups, rows }: QueryItems = this.#result.items(start, ITEMS_PER_PAGE);
    if (impacted !== undefined) {
      for (const item of impacted) yield { impacted: this.#impacted(item) };
    } else if (paths !== undefined) {
      for (const path of paths) yield { path: this.#path(path) };
    } else if (rows !== undefined) {
      for (const row of rows) yield { row: { cells: row.map((cell) => this.#cell(cell)) } };
    } else if (groups !== undefined) {
      for (const group of groups) yield { group: this.#group(group) };
    } else {
      for (const node of this.#result.entities(start, ITEMS_PER_PAGE)) yield { entity: this.#entity(node) };
    }
  }

  #entity(node: number): NonNullable<CellSent['entity']> {
    return this.#records.entity(this.#reader.entity(node));
  }

  #relationship(link: number): NonNullable<CellSent['relationship']> {
    return this.#records.relationship(this.#reader.relationship(link));
  }

  #cell(cell: Cell): CellSent {
    if (cell instanceof NodeCell) return { entity: this.#entity(cell.node) };
    if (cell instanceof LinkCell) return { relationship: this.#relationship(cell.link) };
    return { value: this.#records.value(cell) };
  }

  #group({ keys, count, aggregates }: GroupRow): GroupSent {
    return {
      keys: keys.map((key) => this.#cell(key)),
      count,
      aggregates: Object.fromEntries(aggregates.map(([name, cell]) => [name, this.#cell(cell)])),
    };
  }

  #path({ nodes, links }: FoundPath): PathSent {
    return {
      nodes: Array.from(nodes, (node) => this.#entity(node)),
      relationships: Array.from(links, (link) => this.#relationship(link)),
    };
  }

  #impacted({ node, depth, via }: ImpactedEntity): ImpactedSent {
    return { entity: this.#entity(node), depth, via: this.#relationship(via) };
  }
}

function planToWire(plan: PlanTree): PlanSent {
  const { operator, detail, estimated_rows: estimatedRows, actual_rows: actualRows, ms, children } = plan;
  return {
    operator,
    detail,
    children: children.map(planToWire),
    ...(estimatedRows !== undefined && { estimatedRows }),
    ...(actualRows !== undefined && { actualRows }),
    ...(ms !== undefined && { ms }),
  };
}
