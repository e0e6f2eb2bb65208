/**
 * Executes FIND: enumerates rows, groups them if required, then sorts and cuts them into a result.
 */
import { WideMap } from '#platform/foundation';
import type { BoundFind, GroupValue, RowColumns, RowValue } from '../../binder/bound-query.ts';
import {
  type Condition,
  type RowPlan,
  type SetPlan,
  type ExecutionContext,
  NodeList,
  newNodes,
  type NodeSet,
  RowEnumerator,
  CountSink,
  TableSink,
  type RowSink,
  SetExecutor,
} from '#graph/execution';
import { type FindPlan, takesRowsAsTheyAre } from '../../plan/find-plan.ts';
import { cellKey, cellReader, type RowShape } from '../row/cell-reader.ts';
import type { Cell } from '../../result/query-result.ts';
import { countResult, groupsResult, nodesResult, rowsResult, type Found } from './find-result.ts';
import { DistinctSink } from '../row/distinct-sink.ts';
import { FirstRowsSink } from '../row/first-rows-sink.ts';
import {
  countedGroups,
  distinctGroups,
  groupReader,
  groupRows,
  groupsAt,
  GroupSink,
  having,
  type Group,
} from '../group/grouping.ts';
import { groupedPlaces, NodeRows, RowList } from '../row/row-list.ts';
import { distinctRows, orderedPlaces, type OrderKeys } from '../row/row-order.ts';

/** Up to this many first rows are kept during enumeration, and sorted without yielding. */
const FIRST_ROWS_MAX = 10_000;
const FIND_SLOT: RowShape = { slots: [0], links: new Set() };

/** Memory of a group of an index, with its values and its map entry. */
const COUNTED_GROUP_BYTES = 240;
/** Memory of a string as a map key, without its characters. */
const TEXT_KEY_BYTES = 96;

/** Rows with the elements of their slots. */
interface ShapedRows {
  readonly shape: RowShape;
  readonly rows: RowList;
}

export class FindExecutor {
  readonly #context: ExecutionContext;
  readonly #plan: FindPlan;
  readonly #having: Condition<GroupValue> | undefined;

  constructor(context: ExecutionContext, plan: FindPlan, condition: Condition<GroupValue> | undefined) {
    this.#context = context;
    this.#plan = plan;
    this.#having = condition;
  }

  *run(): Generator<void, Found> {
    const { access, find } = this.#plan;
    const { reader, pace } = this.#context;
    if (access.kind === 'count') return countResult(yield* pace.through(reader.count(access.selection)));
    if (access.kind === 'group-counts' && find.grouping !== undefined) {
      const onGroup = (): void => this.#context.hold(COUNTED_GROUP_BYTES);
      const counts = yield* pace.through(reader.groupCounts(access.selection, access.fields, onGroup));
      return yield* this.#groups(yield* countedGroups(this.#context, find.grouping, counts));
    }
    if (access.kind === 'nodes' && find.grouping === undefined && find.returns?.kind !== 'rows') {
      if (find.returns?.kind === 'count') return countResult((yield* this.#found(access.plan)).size);
      return yield* this.#entities(yield* this.#nodes(access.plan));
    }
    if (access.kind !== 'rows') return yield* this.#fromRows(yield* this.#nodeRows());
    return (
      (yield* this.#streamed(access.plan)) ?? (yield* this.#fromRows(yield* this.#enumerated(access.plan)))
    );
  }

  /** Counts rows without holding them; undefined where the rows or their order matter. */
  *#streamed(plan: RowPlan): Generator<void, Found | undefined> {
    const { grouping, returns } = this.#plan.find;
    const isWhole = plan.slots.length === plan.visible;
    if (this.#showsOrder() || (!isWhole && plan.startSlot >= plan.visible)) return undefined;
    const distinct = (sink: RowSink): RowSink =>
      isWhole ? sink : new DistinctSink(this.#context, plan, sink);
    if (grouping !== undefined) {
      const groups = new GroupSink(this.#context, grouping, this.#shapeOf(plan));
      yield* this.#enumerate(plan, distinct(groups));
      return yield* this.#groups(yield* groups.result());
    }
    if (returns?.kind !== 'count') return undefined;
    const counter = new CountSink();
    yield* this.#enumerate(plan, distinct(counter));
    return countResult(counter.rows);
  }

  *#enumerate(plan: RowPlan, sink: RowSink): Generator<void, void> {
    const startedMs = this.#context.profile?.nowMs() ?? 0;
    yield* new RowEnumerator(this.#context, plan, sink).run();
    this.#context.profile?.note(plan, sink.rows, startedMs);
  }

  #shapeOf({ slots }: RowPlan): RowShape {
    const { elements } = this.#plan.find;
    return { slots, links: new Set(slots.filter((element) => elements[element]?.kind === 'hop')) };
  }

  *#fromRows({ shape, rows }: ShapedRows): Generator<void, Found> {
    const { grouping, returns } = this.#plan.find;
    if (grouping !== undefined) {
      return yield* this.#groups(yield* groupRows(this.#context, grouping, shape, rows));
    }
    if (returns?.kind === 'count') return countResult(rows.rows);
    const shaped = { shape, rows };
    return returns?.kind === 'rows'
      ? yield* this.#returned(shaped, returns)
      : yield* this.#entitiesOf(shaped);
  }

  /** The FIND entities in result order. */
  *#nodes(plan: SetPlan): Generator<void, Uint32Array> {
    const found = yield* this.#found(plan);
    return found.isOrdered ? found.nodes : yield* this.#inOrder(found.nodes);
  }

  #found(plan: SetPlan): Generator<void, NodeSet> {
    return new SetExecutor(this.#context).run(plan);
  }

  #inOrder(nodes: Uint32Array): Generator<void, Uint32Array> {
    return this.#context.pace.through(this.#context.reader.sorted(nodes));
  }

  *#nodeRows(): Generator<void, ShapedRows> {
    const { access } = this.#plan;
    const nodes = access.kind === 'nodes' ? yield* this.#nodes(access.plan) : new Uint32Array(0);
    return { shape: FIND_SLOT, rows: new RowList(new NodeRows(nodes)) };
  }

  *#enumerated(plan: RowPlan): Generator<void, ShapedRows> {
    const { kept, visible } = plan;
    const isDistinct = plan.slots.length > kept;
    const most = plan.isOrdered ? this.#plan.skip + this.#plan.limit : Infinity;
    const shape = this.#shapeOf({ ...plan, slots: plan.slots.slice(0, kept) });
    const sink = this.#firstRows(plan, shape) ?? new TableSink(this.#context, kept, { isDistinct, most });
    yield* this.#enumerate(plan, sink);
    const isOrdered = this.#showsOrder() && !plan.isOrdered;
    const rows = yield* distinctRows(this.#context, sink.table, shape, { visible, isOrdered });
    return { shape, rows };
  }

  /** Keeps the first few rows by an order other than that of enumeration; undefined if all must be held. */
  #firstRows(plan: RowPlan, shape: RowShape): FirstRowsSink | undefined {
    const { find, skip, limit } = this.#plan;
    const most = skip + limit;
    const isShown = takesRowsAsTheyAre(find);
    const isExact = plan.slots.length === plan.visible;
    if (!isShown || !isExact || plan.isOrdered || most > FIRST_ROWS_MAX) return undefined;
    return new FirstRowsSink(this.#context, { shape, keys: find.orderBy.filter(isRowKey), most });
  }

  /** Whether the order of rows is visible: in the rows, or in the first value of a group. */
  #showsOrder(): boolean {
    const { grouping, returns } = this.#plan.find;
    if (grouping === undefined) return returns?.kind !== 'count';
    return grouping.aggregates.some((aggregate) => aggregate.function === 'first');
  }

  /** Entities as rows. */
  *#entities(nodes: Uint32Array): Generator<void, Found> {
    const rows = { shape: FIND_SLOT, rows: new RowList(new NodeRows(nodes)) };
    const places = yield* this.#cut(rows, nodes.length);
    if (places === undefined) return nodesResult(nodes);
    for (let at = 0; at < places.length; at++) {
      places[at] = nodes[places[at] ?? 0] ?? 0;
      if (this.#context.pace.isDue(1)) yield;
    }
    return nodesResult(places);
  }

  /** Entities of the rows after SKIP and LIMIT, in the order of first occurrence. */
  *#entitiesOf(rows: ShapedRows): Generator<void, Found> {
    const places = yield* this.#cut(rows, rows.rows.rows);
    const slot = rows.shape.slots.indexOf(0);
    const count = places?.length ?? rows.rows.rows;
    const isNew = newNodes(this.#context, count);
    const found = new NodeList();
    for (let at = 0; at < count; at++) {
      for (const tuple of rows.rows.tuplesOf(places?.[at] ?? at)) {
        const node = rows.rows.tuples.slot(tuple, slot);
        if (isNew(node)) found.push(node);
        if (this.#context.pace.isDue(1)) yield;
      }
    }
    const nodes = found.toArray();
    const isOrdered = this.#plan.find.orderBy.length > 0;
    return nodesResult(isOrdered ? nodes : yield* this.#inOrder(nodes));
  }

  *#returned(all: ShapedRows, { columns, distinct }: RowColumns): Generator<void, Found> {
    const rows = distinct ? { ...all, rows: yield* this.#distinct(all, columns) } : all;
    const places = yield* this.#cut(rows, rows.rows.rows);
    const { reader } = this.#context;
    return rowsResult(reader, {
      names: columns.map((column) => column.name),
      cells: columns.map((column) => cellReader(reader, rows.shape, column.value)),
      rows: places === undefined ? rows.rows : yield* rows.rows.pick(places, this.#context.pace),
      findSlot: rows.shape.slots.indexOf(0),
      isOrdered: this.#plan.find.orderBy.length > 0,
    });
  }

  /** Merges rows with equal cells. */
  *#distinct({ rows, shape }: ShapedRows, columns: readonly { value: RowValue }[]): Generator<void, RowList> {
    const readers = columns.map((column) => cellReader(this.#context.reader, shape, column.value));
    const { pace } = this.#context;
    const numbers = new WideMap<number>();
    const rowOf = new Uint32Array(rows.rows);
    let distinct = 0;
    for (let row = 0; row < rows.rows; row++) {
      const key = JSON.stringify(readers.map((read) => cellKey(read(rows, row))));
      const number = numbers.get(key) ?? distinct;
      if (number === distinct) {
        numbers.add(key, distinct++);
        this.#context.hold(TEXT_KEY_BYTES + key.length);
      }
      rowOf[row] = number;
      if (pace.isDue(4)) yield;
    }
    return yield* rows.merged(yield* groupedPlaces(rowOf, distinct, pace), pace);
  }

  *#groups(all: readonly Group[]): Generator<void, Found> {
    const { find, skip, limit } = this.#plan;
    const returns = find.returns?.kind === 'groups' ? find.returns : undefined;
    const passing = yield* having(this.#context, all, this.#having);
    const isDistinct = returns?.distinct === true;
    const groups = isDistinct ? yield* distinctGroups(this.#context, passing, returns.columns) : passing;
    const keys = find.orderBy.filter(isGroupKey).map(({ value, descending }) => {
      const read = groupReader(value);
      const cell = (row: number): Cell => (groups[row] === undefined ? null : read(groups[row]));
      return { cell, isDescending: descending };
    });
    const places = yield* orderedPlaces(this.#context, { count: groups.length, keys }, { skip, limit });
    return groupsResult(
      places === undefined ? groups : yield* groupsAt(groups, places, this.#context.pace),
      returns?.columns,
      find.grouping?.isExplicit ?? false,
    );
  }

  *#cut(rows: ShapedRows, count: number): Generator<void, Uint32Array | undefined> {
    const { skip, limit } = this.#plan;
    return yield* orderedPlaces(this.#context, { ...this.#orderKeys(rows), count }, { skip, limit });
  }

  #orderKeys({ rows, shape }: ShapedRows): OrderKeys {
    const keys = this.#plan.find.orderBy.filter(isRowKey).map(({ value, descending }) => {
      const read = cellReader(this.#context.reader, shape, value);
      return { cell: (row: number) => read(rows, row), isDescending: descending };
    });
    return { count: rows.rows, keys };
  }
}

type OrderKey = BoundFind['orderBy'][number];

/** Without grouping all keys are of rows, and with it of groups. */
function isRowKey(key: OrderKey): key is OrderKey & { readonly value: RowValue } {
  return key.value.kind !== 'key' && key.value.kind !== 'aggregate';
}

function isGroupKey(key: OrderKey): key is OrderKey & { readonly value: GroupValue } {
  return key.value.kind !== 'field' && key.value.kind !== 'element';
}
