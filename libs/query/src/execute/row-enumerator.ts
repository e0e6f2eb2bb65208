/**
 * Enumerates rows by backtracking over the levels of a row plan, without recursion, so that it can stop
 * anywhere and go on later.
 *
 * 1. The start set is found; what its plan met on the way bounds every level (no dead ends).
 * 2. For each optional level, the nodes that have the chain are found as a set.
 * 3. For each start node, levels are entered in turn. Each keeps its candidates and a cursor; going back
 *    takes the next candidate of the level entered last. Skipped levels were never entered, and so are not
 *    gone back to.
 */
import type { RowOperand } from '../binder/bound-query.ts';
import { compileCondition } from '../plan/condition.ts';
import type { Level, OptionalLevel, RowPlan } from '../plan/row-plan.ts';
import type { ExecutionContext } from './execution-context.ts';
import { LevelCandidates } from './level-candidates.ts';
import type { NodeSet } from './node-set.ts';
import { rowAccess } from './row-access.ts';
import { NO_ELEMENT, RowTable } from './row-table.ts';
import { SetExecutor } from './set-executor.ts';

interface Entered {
  readonly level: number;
  readonly candidates: LevelCandidates;
  /** What is left to do before there are candidates. */
  rest: Generator<void, void> | undefined;
  cursor: number;
}

export class RowEnumerator {
  readonly #context: ExecutionContext;
  readonly #plan: RowPlan;
  readonly #sets: SetExecutor;
  readonly #row: Uint32Array;
  readonly #candidates = new Map<Level, LevelCandidates>();
  readonly #having = new Map<OptionalLevel, NodeSet>();
  readonly #passes: (row: Uint32Array) => boolean;

  constructor(context: ExecutionContext, plan: RowPlan) {
    this.#context = context;
    this.#plan = plan;
    this.#sets = new SetExecutor(context);
    this.#row = new Uint32Array(plan.slots.length).fill(NO_ELEMENT);
    const access = rowAccess(context.reader, plan.slots, linkElements(plan));
    const conditions = plan.conditions.map((condition) =>
      compileCondition<RowOperand, Uint32Array>(condition, access),
    );
    this.#passes = (row) => conditions.every((condition) => condition(row));
  }

  /** Every combination of slots that matches, once; in no promised order. */
  *run(): Generator<void, RowTable> {
    const start = yield* this.#sets.run(this.#plan.start);
    const rows = new RowTable(this.#plan.slots.length);
    if (start.size === 0) return rows;
    yield* this.#prepare(start);
    for (const node of start.nodes) {
      this.#row[this.#plan.startSlot] = node;
      yield* this.#from(rows);
      if (this.#context.pace.isDue(1)) yield;
    }
    return rows;
  }

  *#prepare(start: NodeSet): Generator<void, void> {
    for (const level of this.#plan.levels) {
      if (level.kind === 'optional') {
        const near = level.near < 0 ? start : this.#sets.farSet(level.near);
        this.#having.set(level, yield* this.#sets.narrow(near, level.filters));
      } else {
        this.#candidates.set(level, new LevelCandidates(this.#context, level, this.#sets));
      }
    }
  }

  /** All rows of the start node in the row at hand. */
  *#from(rows: RowTable): Generator<void, void> {
    const stack: Entered[] = [];
    this.#advance(0, stack, rows);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.rest !== undefined) yield* top.rest;
      top.rest = undefined;
      if (top.candidates.bind(top.cursor++, this.#row)) this.#advance(top.level + 1, stack, rows);
      else stack.pop();
      if (this.#context.pace.isDue(1)) yield;
    }
  }

  /** Enters the next level that is not skipped; past the last one, the row is whole. */
  #advance(from: number, stack: Entered[], rows: RowTable): void {
    const { levels } = this.#plan;
    let at = from;
    for (let level = levels[at]; level !== undefined; level = levels[at]) {
      if (level.kind === 'optional') {
        at += this.#isSkipped(level) ? level.length + 1 : 1;
        continue;
      }
      const candidates = this.#candidates.get(level);
      if (candidates === undefined) return;
      stack.push({
        level: at,
        candidates,
        rest: candidates.fill(this.#row[level.from] ?? NO_ELEMENT),
        cursor: 0,
      });
      return;
    }
    if (!this.#passes(this.#row)) return;
    rows.push(this.#row);
    this.#context.checkSlots(rows.rows * rows.width);
  }

  #isSkipped(level: OptionalLevel): boolean {
    const node = this.#row[level.from] ?? NO_ELEMENT;
    if (node !== NO_ELEMENT && this.#having.get(level)?.has(node) === true) return false;
    for (const slot of level.slots) this.#row[slot] = NO_ELEMENT;
    return true;
  }
}

/** Elements of slots that hold links. */
function linkElements(plan: RowPlan): ReadonlySet<number> {
  const slots = plan.levels.flatMap((level) => (level.kind === 'expand' ? [level.linkSlot] : []));
  return new Set(slots.map((slot) => plan.slots[slot] ?? -1));
}
