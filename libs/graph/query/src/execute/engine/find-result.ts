import type { GraphReader } from '#graph/execution';
import type { GroupValue, ResultColumn } from '../../binder/bound-query.ts';
import type { QueryResult } from '../../result/query-result.ts';
import type { CellReader } from '../row/cell-reader.ts';
import { groupReader, type Group } from '../group/grouping.ts';
import type { RowList } from '../row/row-list.ts';

/** A result without the parts added by the run: warnings, the snapshot, the plan. */
export type Found = Omit<QueryResult, 'snapshotVersion' | 'warnings' | 'plan' | 'page'>;

/** The result with whole pages. */
export function paged(found: Found): Found & Pick<QueryResult, 'page'> {
  return {
    ...found,
    page: (offset, limit) => ({ entities: found.entities(offset, limit), ...found.items(offset, limit) }),
  };
}

const NO_NODES = new Uint32Array(0);

export function countResult(count: number): Found {
  return { kind: 'count', count, length: 0, memory: () => 0, entities: () => NO_NODES, items: () => ({}) };
}

export function nodesResult(nodes: Uint32Array): Found {
  return {
    kind: 'entities',
    count: nodes.length,
    length: nodes.length,
    memory: () => nodes.buffer.byteLength,
    entities: (offset, limit) => nodes.subarray(offset, offset + limit),
    items: () => ({}),
  };
}

export interface ReturnedRows {
  readonly names: readonly string[];
  readonly cells: readonly CellReader[];
  readonly rows: RowList;
  readonly findSlot: number;
  /**
   * Whether the query has ORDER BY: a page's entities are then in the order of first occurrence in its rows,
   * else in result order.
   */
  readonly isOrdered: boolean;
}

export function rowsResult(
  reader: GraphReader,
  { names, cells, rows, findSlot, isOrdered }: ReturnedRows,
): Found {
  const endOf = (offset: number, limit: number): number => Math.min(rows.rows, offset + limit);
  const entities = (offset: number, limit: number): Uint32Array => {
    const found = new Set<number>();
    for (let row = offset; row < endOf(offset, limit); row++) {
      for (const tuple of rows.tuplesOf(row)) found.add(rows.tuples.slot(tuple, findSlot));
    }
    const nodes = Uint32Array.from(found);
    return isOrdered ? nodes : reader.sort(nodes);
  };
  return {
    kind: 'rows',
    count: rows.rows,
    length: rows.rows,
    memory: () => rows.bytes,
    columns: names,
    entities,
    items: (offset, limit) => ({
      rows: range(offset, endOf(offset, limit)).map((row) => cells.map((cell) => cell(rows, row))),
    }),
  };
}

/** Groups, also as rows if RETURN has columns; without GROUP BY, only as rows. */
export function groupsResult(
  groups: readonly Group[],
  columns: readonly ResultColumn<GroupValue>[] | undefined,
  isExplicit: boolean,
): Found {
  const cells = columns?.map(({ name, value }) => ({
    name,
    isKey: value.kind === 'key',
    read: groupReader(value),
  }));
  const named = cells?.filter(({ isKey }) => !isKey) ?? [];
  return {
    kind: isExplicit ? 'groups' : 'rows',
    count: groups.length,
    length: groups.length,
    memory: () => groupBytes(groups),
    ...(columns === undefined ? {} : { columns: columns.map((column) => column.name) }),
    entities: () => NO_NODES,
    items: (offset, limit) => {
      const page = groups.slice(offset, offset + limit);
      const rows = cells && page.map((group) => cells.map(({ read }) => read(group)));
      const shown = page.map((group) => ({
        keys: group.keys,
        count: group.count,
        aggregates: named.map(({ name, read }) => [name, read(group)] as const),
      }));
      return { ...(rows && { rows }), ...(isExplicit && { groups: shown }) };
    },
  };
}

/** Number of groups sampled to estimate the memory of all. */
const SAMPLED_GROUPS = 256;
/** Memory of an object with its two arrays, and of a cell without its UTF-16 units. */
const GROUP_BYTES = 144;
const CELL_BYTES = 24;

function groupBytes(groups: readonly Group[]): number {
  const step = Math.max(1, Math.floor(groups.length / SAMPLED_GROUPS));
  let [sampled, bytes] = [0, 0];
  for (let at = 0; at < groups.length; at += step, sampled++) {
    const { keys = [], aggregates = [] } = groups[at] ?? {};
    bytes += GROUP_BYTES;
    for (const cell of [...keys, ...aggregates]) {
      bytes += CELL_BYTES + (typeof cell === 'string' ? cell.length : 0);
    }
  }
  return sampled === 0 ? 0 : Math.ceil((bytes / sampled) * groups.length);
}

function range(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, at) => start + at);
}
