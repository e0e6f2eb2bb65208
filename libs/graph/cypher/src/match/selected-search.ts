/**
 * The shortest trails of a path pattern from one node, for each node at which it may end. A pattern is a row
 * of segments, each repeated a number of times. A search breadth first finds how many relationships each
 * state, a node after some turns of a segment, is away from the start. Along a trail a relationship occurs
 * once, which such a search cannot know: so trails are put together from their ends backwards, those first
 * that may be the shortest by what is behind them and how far away the start is.
 */
import { assert } from '#platform/foundation';
import type { Rows } from '../expression/subqueries.ts';
import type { Pausing, Row, Run } from '../graph/run.ts';
import type { Turn } from './repeated.ts';

export interface Segment {
  /** Relationships of one turn. */
  readonly length: number;
  readonly min: number;
  readonly max: number;
  /** Turns that begin at a node, or that end there; undefined among them offers a pause. */
  readonly turns: (
    node: number,
    isBackward: boolean,
    row: Row,
    run: Run,
  ) => Generator<Turn | undefined, void>;
}

/** A whole path: the turns of each segment, and the nodes before, between and behind the segments. */
export interface SegmentedTrail {
  readonly segments: readonly (readonly Turn[])[];
  readonly nodes: readonly number[];
}

export interface SelectedStep {
  readonly segments: readonly Segment[];
  /** Whether a node may stand behind a segment. */
  readonly mayStand: (node: number, segment: number, row: Row, run: Run) => Pausing<boolean>;
  /** The row of a trail; undefined where it does not meet the conditions of the pattern. */
  readonly rowOf: (trail: SegmentedTrail, row: Row, run: Run) => Pausing<Row | undefined>;
  /** Number of paths for each pair of ends, or of lengths. */
  readonly count: number;
  readonly isOfGroups: boolean;
}

/** A node after turns of a segment; more turns than its minimum are as good as that. */
interface State {
  readonly segment: number;
  readonly turns: number;
  readonly node: number;
}

/** The last part of a trail, from a state on. */
interface Suffix {
  readonly state: State;
  /** Undefined between two segments, and at the end. */
  readonly turn: Turn | undefined;
  readonly next: Suffix | undefined;
  readonly length: number;
  /** Turns of the state's segment in it. */
  readonly turns: number;
  readonly end: number;
  /** What may be before it was looked at up to this distance from the start. */
  seen: number;
}

/** What was found for one end. */
interface Found {
  paths: number;
  lengths: number;
  longest: number;
}

const VALUES_PER_STATE = 4;
const VALUES_PER_SUFFIX = 8;

export class SelectedSearch {
  readonly #step: SelectedStep;
  readonly #row: Row;
  readonly #run: Run;
  readonly #positions: number;
  readonly #offsets: readonly number[];
  readonly #distances = new Map<number, number>();
  /** States by their distance. */
  readonly #levels: State[][] = [];
  /** Suffixes by the least length of a trail with them. */
  readonly #suffixes: Suffix[][] = [];
  readonly #found = new Map<number, Found>();

  constructor(step: SelectedStep, row: Row, run: Run) {
    this.#step = step;
    this.#row = row;
    this.#run = run;
    let positions = 0;
    this.#offsets = step.segments.map(({ min }) => {
      const offset = positions;
      positions += min + 1;
      return offset;
    });
    this.#positions = positions;
  }

  /** `ends`: all nodes that are looked for, where they are known. */
  *rows(start: number, ends: ReadonlySet<number> | undefined): Rows {
    yield* this.#reach({ segment: 0, turns: 0, node: start }, 0, ends);
    for (let length = 0; length < Math.max(this.#levels.length, this.#suffixes.length); length++) {
      yield* this.#complete(start, length);
      if (ends !== undefined && [...ends].every((end) => this.#hasEnough(end, length + 1))) return;
      yield* this.#expand(length, ends);
    }
  }

  /** The trails of a length. */
  *#complete(start: number, length: number): Rows {
    const waiting = this.#suffixes[length];
    for (let suffix = waiting?.pop(); suffix !== undefined; suffix = waiting?.pop()) {
      if (this.#run.isPauseDue()) yield undefined;
      if (this.#hasEnough(suffix.end, length)) continue;
      const { segment, turns, node } = suffix.state;
      const isWhole = segment === 0 && turns === 0 && node === start && suffix.seen < 0;
      if (isWhole) yield* this.#accept(suffix);
      yield* this.#lengthen(suffix, length);
    }
  }

  *#accept(suffix: Suffix): Rows {
    const row = yield* this.#step.rowOf(trailOf(suffix), this.#row, this.#run);
    if (row === undefined) return;
    const { end, length } = suffix;
    const found = this.#found.get(end) ?? { paths: 0, lengths: 0, longest: -1 };
    found.paths++;
    if (length > found.longest) found.lengths++;
    found.longest = length;
    this.#found.set(end, found);
    yield row;
  }

  #hasEnough(end: number, length: number): boolean {
    const found = this.#found.get(end);
    if (found === undefined) return false;
    const { count, isOfGroups } = this.#step;
    return isOfGroups ? found.lengths >= count && found.longest < length : found.paths >= count;
  }

  /** With each turn that may be before it, as far as is known by now. */
  *#lengthen(suffix: Suffix, horizon: number): Rows {
    const isBehindSegment = this.#stepBack(suffix, horizon);
    const isBehindTurn = yield* this.#addTurns(suffix, horizon);
    suffix.seen = horizon;
    const mayGrow = this.#levels.length > horizon;
    if (mayGrow && (isBehindSegment || isBehindTurn)) this.#wait(suffix, horizon + 1);
  }

  /** With one turn more of its segment; returns whether others have to wait. */
  *#addTurns(suffix: Suffix, horizon: number): Pausing<boolean> {
    const { segment, turns, node } = suffix.state;
    const { min, max } = this.#segment(segment);
    // A state with the least number of turns stands for more of them too.
    const before = turns === min ? [turns - 1, turns] : [turns - 1];
    if (suffix.turns >= max || (turns === 0 && min > 0)) return false;
    let isOpen = false;
    for (const turn of this.#turnsOf(segment, node, true)) {
      if (this.#run.isPauseDue()) yield undefined;
      if (turn === undefined || isTaken(suffix, turn)) continue;
      for (const each of before) {
        if (each < 0) continue;
        const from = { segment, turns: each, node: turn.end.node };
        isOpen = this.#addKnown(suffix, from, { turn, horizon }) || isOpen;
      }
    }
    return isOpen;
  }

  /** Into the segment before; returns whether that has to wait. */
  #stepBack(suffix: Suffix, horizon: number): boolean {
    const { segment, turns, node } = suffix.state;
    if (turns > 0 || segment === 0) return false;
    const from = { segment: segment - 1, turns: this.#segment(segment - 1).min, node };
    return this.#addKnown(suffix, from, { turn: undefined, horizon });
  }

  /** Where the state before is known; returns whether it may become so. */
  #addKnown(
    suffix: Suffix,
    from: State,
    { turn, horizon }: { readonly turn: Turn | undefined; readonly horizon: number },
  ): boolean {
    const distance = this.#distances.get(this.#keyOf(from)) ?? Infinity;
    if (distance > horizon) return true;
    if (distance > suffix.seen) this.#add(suffix, from, turn);
    return false;
  }

  #add(next: Suffix, state: State, turn: Turn | undefined): void {
    const length = next.length + (turn?.links.length ?? 0);
    const turns = turn === undefined ? 0 : next.turns + 1;
    this.#run.make(VALUES_PER_SUFFIX);
    const suffix = { state, turn, next, length, turns, end: next.end, seen: -1 };
    this.#wait(suffix, length + (this.#distances.get(this.#keyOf(state)) ?? 0));
  }

  #wait(suffix: Suffix, length: number): void {
    (this.#suffixes[length] ??= []).push(suffix);
  }

  /** One turn further from all states of a distance. */
  *#expand(distance: number, ends: ReadonlySet<number> | undefined): Rows {
    for (const { segment, turns, node } of this.#levels[distance] ?? []) {
      const { length, min, max } = this.#segment(segment);
      if (max === 0) continue;
      for (const turn of this.#turnsOf(segment, node, false)) {
        if (this.#run.isPauseDue()) yield undefined;
        if (turn === undefined) continue;
        const next = { segment, turns: Math.min(turns + 1, min), node: turn.end.node };
        yield* this.#reach(next, distance + length, ends);
      }
    }
  }

  /** Notes a state, and those behind it that no relationship is needed for. */
  *#reach({ segment, turns, node }: State, distance: number, ends: ReadonlySet<number> | undefined): Rows {
    const { segments, mayStand } = this.#step;
    for (let at = segment; at < segments.length; at++) {
      const state = { segment: at, turns: at === segment ? turns : 0, node };
      if (!this.#note(state, distance) || state.turns < this.#segment(at).min) return;
      const isLast = at === segments.length - 1;
      if (isLast && ends?.has(node) === false) return;
      if (!(yield* mayStand(node, at, this.#row, this.#run))) return;
      if (!isLast) continue;
      const none = { turn: undefined, next: undefined, length: 0, turns: 0, seen: -1 };
      this.#wait({ state, end: node, ...none }, distance);
    }
  }

  /** False for a state that is known. */
  #note(state: State, distance: number): boolean {
    const key = this.#keyOf(state);
    if (this.#distances.has(key)) return false;
    this.#run.make(VALUES_PER_STATE);
    this.#distances.set(key, distance);
    (this.#levels[distance] ??= []).push(state);
    return true;
  }

  #turnsOf(segment: number, node: number, isBackward: boolean): Iterable<Turn | undefined> {
    return this.#segment(segment).turns(node, isBackward, this.#row, this.#run);
  }

  #segment(number: number): Segment {
    const segment = this.#step.segments[number];
    assert(segment !== undefined, `the pattern has a segment ${String(number)}`);
    return segment;
  }

  #keyOf({ segment, turns, node }: State): number {
    return node * this.#positions + (this.#offsets[segment] ?? 0) + turns;
  }
}

function isTaken(suffix: Suffix, { links }: Turn): boolean {
  for (let part: Suffix | undefined = suffix; part !== undefined; part = part.next) {
    const { turn } = part;
    if (turn?.links.some(({ link }) => links.some((each) => each.link === link)) === true) return true;
  }
  return false;
}

function trailOf(whole: Suffix): SegmentedTrail {
  const segments: Turn[][] = [[]];
  const nodes = [whole.state.node];
  for (let part: Suffix | undefined = whole; part !== undefined; part = part.next) {
    if (part.turn !== undefined) segments.at(-1)?.push(part.turn);
    else if (part.next !== undefined) {
      segments.push([]);
      nodes.push(part.state.node);
    }
  }
  return { segments, nodes: [...nodes, whole.end] };
}
