/**
 * Enumerates rows by backtracking over the levels of a row plan, without recursion, so that it can stop
 * anywhere and resume later.
 *
 * 1. The start set is computed; the sets found on the way bound every level (no dead ends).
 * 2. For each optional level, the set of nodes that have the chain is computed; for each factor, the weights.
 * 3. For each start node, levels are entered in turn. Each keeps its candidates and a cursor; backtracking
 *    takes the next candidate of the level entered last. Skipped levels are never entered, so backtracking
 *    passes over them. Conditions are checked as soon as all their operands are bound.
 *
 * Rows are sent to a sink with their weight, the number of rows that each represents. *Hot path*.
 */
import type { FieldValue } from '#graph/model';

import { compileCondition, type RowAccess, type RowOperand } from '../pattern/condition.ts';
import type { ExpandLevel, OptionalLevel, RowPlan } from '../pattern/row-plan.ts';
import type { ExecutionContext } from '../context/execution-context.ts';
import { EndMerge } from './end-merge.ts';
import { LevelCandidates } from './level-candidates.ts';
import { LinkTest } from './link-test.ts';
import type { NodeSet } from '../set/node-set.ts';
import type { RowSink } from './row-sink.ts';
import { NO_ELEMENT } from './row-table.ts';
import { RowWeights, type Weight } from './row-weights.ts';
import { SetExecutor } from '../set/set-executor.ts';
import { StarCount } from './star-count.ts';

/** A level, of which one entry at a time is open. */
interface Entered {
  readonly level: number;
  readonly candidates: LevelCandidates;
  /** Pending work before candidates are available. */
  rest: Generator<void, void> | undefined;
  cursor: number;
}

type RowTest = (row: Uint32Array) => boolean;

interface BoundWeight {
  readonly slot: number;
  readonly weight: Weight;
}

export class RowEnumerator {
  readonly #context: ExecutionContext;
  readonly #plan: RowPlan;
  readonly #sink: RowSink;
  readonly #sets: SetExecutor;
  readonly #row: Uint32Array;
  /** By level. */
  readonly #entries: Entered[] = [];
  readonly #having: NodeSet[] = [];
  readonly #weights: BoundWeight[] = [];
  /** The same of the slot that is bound last, where it is only counted. */
  readonly #lastWeights: BoundWeight[] = [];
  /** The last level and its slot, or the start, where nothing of it is read. */
  readonly #counted: { readonly level: number; readonly slot: number };
  /** Tests of each level, from the start on. */
  readonly #checks: readonly (readonly RowTest[])[];
  /** Where all that is asked of what is counted last is that it is another node: the slot of that one. */
  readonly #otherSlot: number | undefined;
  readonly #stack: Entered[] = [];
  /** The sink needs no more rows. */
  #hasEnough = false;
  #sinkRest: Generator<void, void> | undefined;

  constructor(context: ExecutionContext, plan: RowPlan, sink: RowSink) {
    this.#context = context;
    this.#plan = plan;
    this.#sink = sink;
    this.#sets = new SetExecutor(context);
    this.#row = new Uint32Array(plan.slots.length).fill(NO_ELEMENT);
    this.#counted = countedPlace(plan);
    const access = rowAccess(context, plan.slots, linkElements(plan));
    this.#checks = plan.checks.map((conditions) =>
      conditions.map((condition) => compileCondition<RowOperand, Uint32Array>(condition, access)),
    );
    this.#otherSlot = otherSlotOf(plan, this.#counted.slot);
  }

  /** Sends every matching combination of slots to the sink, once (except for slots that are not kept). */
  *run(): Generator<void, void> {
    const star = this.#plan.star && StarCount.of(this.#context, this.#plan.star);
    if (star === undefined) {
      yield* this.#enumerate();
      return;
    }
    const rows = yield* star.run();
    if (rows > 0) this.#emit(rows);
  }

  *#enumerate(): Generator<void, void> {
    const start = yield* this.#sets.run(this.#plan.start);
    if (start.size === 0) return;
    yield* this.#prepare(start);
    const { reader, pace } = this.#context;
    const isSorted = !this.#plan.isOrdered || start.isOrdered;
    const nodes = isSorted ? start.nodes : yield* pace.through(reader.sorted(start.nodes.slice()));
    const isAlone = this.#plan.levels.length === 0;
    if (this.#counted.slot === this.#plan.startSlot) {
      yield* this.#addUpStart(nodes);
      return;
    }
    for (const node of nodes) {
      this.#row[this.#plan.startSlot] = node;
      if (this.#passes(0)) {
        // Nothing is entered: the node is the row.
        if (isAlone) this.#emit(1);
        else yield* this.#from();
      }
      if (this.#hasEnough) return;
      if (this.#sinkRest !== undefined) yield* this.#settle(this.#sinkRest);
      if (this.#context.pace.isDue(1)) yield;
    }
  }

  *#prepare(start: NodeSet): Generator<void, void> {
    const parts = { sets: this.#sets, isOrdered: this.#plan.isOrdered };
    for (const [at, level] of this.#plan.levels.entries()) {
      if (level.kind === 'optional') {
        const near = level.near < 0 ? start : this.#sets.farSet(level.near);
        this.#having[at] = yield* this.#sets.narrow(near, level.filters);
      } else {
        const merge = this.#mergeOf(level);
        const candidates = new LevelCandidates(this.#context, level, { ...parts, merge });
        this.#entries[at] = { level: at, candidates, rest: undefined, cursor: 0 };
        if (merge !== undefined) this.#addWeight(level.slot, mergedEnds(candidates));
      }
    }
    const weights = new RowWeights(this.#context, this.#sets, start);
    for (const { slot, factor } of this.#plan.factors) {
      this.#addWeight(slot, yield* weights.of(factor));
    }
  }

  #addWeight(slot: number, weight: Weight): void {
    (slot === this.#counted.slot ? this.#lastWeights : this.#weights).push({ slot, weight });
  }

  #mergeOf({ merged, path }: ExpandLevel): EndMerge | undefined {
    if (merged === undefined) return undefined;
    const ends = this.#sets.farSet(path.at(-1)?.element ?? -1);
    return new EndMerge(this.#context, { ...merged, ends });
  }

  /** Enumerates all rows of the start node in the current row. */
  *#from(): Generator<void, void> {
    const stack = this.#stack;
    this.#advance(0);
    for (let top = stack.at(-1); top !== undefined && !this.#hasEnough; top = stack.at(-1)) {
      if (top.rest !== undefined) yield* top.rest;
      top.rest = undefined;
      if (top.level === this.#counted.level) {
        stack.pop();
        this.#addUp(top.candidates);
        if (this.#context.pace.isDue(top.candidates.length)) yield;
      } else if (!top.candidates.bind(top.cursor++, this.#row)) stack.pop();
      else if (this.#passes(top.level + 1)) this.#advance(top.level + 1);
      if (this.#sinkRest !== undefined) yield* this.#settle(this.#sinkRest);
      if (this.#context.pace.isDue(1)) yield;
    }
  }

  /** Pending work of the last row. */
  *#settle(rest: Generator<void, void>): Generator<void, void> {
    this.#sinkRest = undefined;
    yield* rest;
  }

  /** Enters the next level that is not skipped; after the last one, the row is complete. */
  #advance(from: number): void {
    const { levels } = this.#plan;
    let at = from;
    for (let level = levels[at]; level !== undefined; level = levels[at]) {
      if (level.kind === 'optional') {
        const length = this.#isSkipped(level, at) ? level.length + 1 : 1;
        for (const end = at + length; at < end;) if (!this.#passes(++at)) return;
        continue;
      }
      const entry = this.#entries[at]!;
      entry.rest = entry.candidates.fill(this.#row);
      entry.cursor = 0;
      this.#stack.push(entry);
      return;
    }
    this.#emit(1);
  }

  /** All rows of the last level as one, since none of its slots is read. */
  #addUp(candidates: LevelCandidates): void {
    const { length: place } = this.#plan.levels;
    let sum = 0;
    if (this.#otherSlot !== undefined && this.#lastWeights.length === 0)
      sum = candidates.lengthWithout(this.#row[this.#otherSlot]!);
    else
      for (let cursor = 0; candidates.bind(cursor, this.#row); cursor++) {
        if (this.#passes(place)) sum += product(this.#lastWeights, this.#row);
      }
    if (sum > 0) this.#emit(sum);
  }

  /** The same of a start without levels. */
  *#addUpStart(nodes: Uint32Array): Generator<void, void> {
    let sum = 0;
    for (let at = 0; at < nodes.length; at++) {
      this.#row[this.#plan.startSlot] = nodes[at]!;
      if (this.#passes(0)) sum += product(this.#lastWeights, this.#row);
      if (this.#context.pace.isDue(1)) yield;
    }
    if (sum > 0) this.#emit(sum);
  }

  /** Sends so many rows, times their weights, to the sink; final levels that bind no kept slot are done. */
  #emit(count: number): void {
    this.#hasEnough = this.#sink.add(this.#row, count * product(this.#weights, this.#row));
    this.#sinkRest = this.#sink.rest?.();
    const { keptLevels } = this.#plan;
    while ((this.#stack.at(-1)?.level ?? -1) >= keptLevels) this.#stack.pop();
  }

  #passes(place: number): boolean {
    const checks = this.#checks[place]!;
    for (let at = 0; at < checks.length; at++) if (!checks[at]!(this.#row)) return false;
    return true;
  }

  #isSkipped(level: OptionalLevel, at: number): boolean {
    const node = this.#row[level.from]!;
    if (node !== NO_ELEMENT && this.#having[at]!.has(node)) return false;
    for (const slot of level.slots) this.#row[slot] = NO_ELEMENT;
    return true;
  }
}

function countedPlace({ levels, startSlot, isLastCounted }: RowPlan): {
  readonly level: number;
  readonly slot: number;
} {
  const last = levels.at(-1);
  if (!isLastCounted || last?.kind === 'optional') return { level: -1, slot: -1 };
  return { level: levels.length - 1, slot: last?.slot ?? startSlot };
}

/** The slot of the node that the one in `slot` must not be, where that is the only condition at the end. */
function otherSlotOf({ checks, levels, slots }: RowPlan, slot: number): number | undefined {
  const [only, ...others] = checks[levels.length] ?? [];
  const same = only?.kind === 'not' && others.length === 0 ? only.item : undefined;
  if (same?.kind !== 'same') return undefined;
  const ends = [slots.indexOf(same.left), slots.indexOf(same.right)];
  return ends.includes(slot) ? ends.find((end) => end !== slot) : undefined;
}

/** How many ends the bound one stands for. */
function mergedEnds(candidates: LevelCandidates): Weight {
  return () => candidates.weight;
}

/** Of the elements in the row; null counts one. */
function product(weights: readonly BoundWeight[], row: Uint32Array): number {
  let all = 1;
  for (let at = 0; at < weights.length; at++) {
    const { slot, weight } = weights[at]!;
    const node = row[slot]!;
    if (node !== NO_ELEMENT) all *= weight(node);
  }
  return all;
}

/** Elements of slots that hold links. */
function linkElements(plan: RowPlan): ReadonlySet<number> {
  const slots = plan.levels.flatMap((level) => (level.kind === 'expand' ? [level.linkSlot] : []));
  return new Set(slots.map((slot) => plan.slots[slot] ?? -1));
}

/** Reads fields of the elements in the slots of a row. A whole element is represented by its number. */
function rowAccess(
  context: ExecutionContext,
  slots: readonly number[],
  links: ReadonlySet<number>,
): RowAccess<RowOperand, Uint32Array> {
  const { reader } = context;
  return {
    value: (operand) => {
      const slot = slots.indexOf(operand.element);
      if (operand.kind === 'element') return (row) => numberIn(row, slot);
      const { field } = operand;
      return links.has(operand.element)
        ? (row): FieldValue => {
            const link = numberIn(row, slot);
            return link === undefined ? undefined : reader.linkField(link, field);
          }
        : (row): FieldValue => {
            const node = numberIn(row, slot);
            return node === undefined ? undefined : reader.nodeField(node, field);
          };
    },
    same: (one, other) => {
      const [left, right] = [slots.indexOf(one), slots.indexOf(other)];
      return (row) => row[left] === row[right] && row[left] !== NO_ELEMENT;
    },
    linked: (condition) => {
      const [left, right] = [slots.indexOf(condition.left), slots.indexOf(condition.right)];
      const test = new LinkTest(context, condition);
      return (row) => {
        const [from, to] = [numberIn(row, left), numberIn(row, right)];
        return from !== undefined && to !== undefined && test.holds(from, to);
      };
    },
  };
}

function numberIn(row: Uint32Array, slot: number): number | undefined {
  const element = row[slot];
  return element === NO_ELEMENT ? undefined : element;
}
