/**
 * The candidates of one level of enumeration for the current row. If the end must also be a neighbour of
 * nodes that are already bound, the shortest of these neighbour lists is scanned and each item is tested
 * against the others: an intersection costs no more than its shortest list. *Hot path*: buffers are reused.
 */
import type { Adjacency, LinkBuffer } from '#graph/model';
import { completed } from '#platform/foundation';
import type { ExpandLevel } from '../pattern/row-plan.ts';
import { sortedPlaces } from '../context/cooperative-sort.ts';
import { emptyBuffer, type ExecutionContext } from '../context/execution-context.ts';
import { compareLinks } from '../set/link-order.ts';
import type { EndMerge } from './end-merge.ts';
import { LinkTest } from './link-test.ts';
import { NodeList } from '../context/node-list.ts';
import type { NodeMarks } from '../context/node-marks.ts';
import { PathEnds } from '../path/path-ends.ts';
import { NO_ELEMENT } from './row-table.ts';
import type { SetExecutor } from '../set/set-executor.ts';

/** Up to this many candidates are sorted without yielding. */
const SORTED_AT_ONCE_MAX = 256;

interface BoundJoin {
  readonly slot: number;
  readonly adjacency: Adjacency;
  readonly test: LinkTest;
}

export interface CandidateParts {
  readonly sets: SetExecutor;
  /** Whether candidates are produced in result order. */
  readonly isOrdered: boolean;
  readonly merge: EndMerge | undefined;
}

export class LevelCandidates {
  readonly #context: ExecutionContext;
  readonly #level: ExpandLevel;
  readonly #isOrdered: boolean;
  readonly #ends: PathEnds;
  readonly #joins: readonly BoundJoin[];
  /** The level's own step as a link test, where possible. */
  readonly #own: LinkTest | undefined;
  readonly #buffer: LinkBuffer = emptyBuffer();
  readonly #merge: EndMerge | undefined;
  #counts: Float64Array | undefined;
  /** The start of the ends that are merged by now. */
  #mergedFrom = NO_ELEMENT;
  /** The number of ends that the bound one stands for. */
  weight = 1;
  #marks: NodeMarks | undefined;
  #nodes = new NodeList();
  #links = new NodeList();

  constructor(context: ExecutionContext, level: ExpandLevel, { sets, isOrdered, merge }: CandidateParts) {
    this.#context = context;
    this.#level = level;
    this.#isOrdered = isOrdered;
    this.#merge = merge;
    this.#ends = new PathEnds(context, level, sets);
    this.#joins = level.joins.map((join) => ({
      slot: join.slot,
      adjacency: context.adjacency(join),
      test: new LinkTest(context, join),
    }));
    const [only, ...others] = level.path;
    const isPlain = only?.repeat === undefined && only?.condition === undefined && others.length === 0;
    const isAsked = level.joins.length > 0 && isPlain && !level.keepsLinks;
    this.#own = isAsked && only !== undefined ? new LinkTest(context, only) : undefined;
  }

  /** Finds the candidates. If it returns a generator, the generator does the longer work. */
  fill(row: Uint32Array): Generator<void, void> | undefined {
    const from = row[this.#level.from]!;
    if (this.#joins.length > 0) {
      this.#nodes.clear();
      this.#links.clear();
      if (this.#joins.some(({ slot }) => row[slot] === NO_ELEMENT)) return undefined;
      if (this.#own !== undefined && this.#askOwn(row, from, this.#own)) return this.#sorted();
    }
    if (this.#merge?.isRankDue === true) return this.#afterRanks(row, this.#merge);
    if (this.#merge !== undefined && from === this.#mergedFrom) return undefined;
    this.#mergedFrom = from;
    const rest = this.#ends.fill(from);
    return rest === undefined ? this.#finish(row) : this.#slowly(rest, row);
  }

  /** Whether a join has fewer neighbours than the level's own step, which is then tested for each of them. */
  #askOwn(row: Uint32Array, from: number, own: LinkTest): boolean {
    const join = this.#shortest(row, own.degree(from));
    if (join === undefined) return false;
    this.#intersect(row, join, (node) => this.#ends.isFar(node) && own.holds(from, node));
    return true;
  }

  get length(): number {
    return this.#nodes.length;
  }

  /** How many are another node. */
  lengthWithout(node: number): number {
    let count = 0;
    for (let at = 0; at < this.#nodes.length; at++) if (this.#nodes.at(at) !== node) count++;
    return count;
  }

  /** Writes the candidate at `cursor` to the row; false if there is none. */
  bind(cursor: number, row: Uint32Array): boolean {
    if (cursor >= this.#nodes.length) return false;
    row[this.#level.slot] = this.#nodes.at(cursor);
    if (this.#level.linkSlot >= 0) row[this.#level.linkSlot] = this.#links.at(cursor);
    if (this.#counts !== undefined) this.weight = this.#counts[cursor]!;
    return true;
  }

  *#slowly(rest: Generator<void, void>, row: Uint32Array): Generator<void, void> {
    yield* rest;
    const sorting = this.#finish(row);
    if (sorting !== undefined) yield* sorting;
  }

  /** Turns the ends of the path into candidates. */
  #finish(row: Uint32Array): Generator<void, void> | undefined {
    if (this.#joins.length === 0) {
      this.#nodes = this.#ends.nodes;
      this.#links = this.#ends.links;
      this.#counts = this.#merge?.merge(this.#nodes, this.#links);
    } else {
      const join = this.#level.keepsLinks ? undefined : this.#shortest(row, this.#ends.nodes.length);
      if (join === undefined) this.#filter(row);
      else this.#intersect(row, join, (node) => this.#ends.has(node));
    }
    return this.#sorted();
  }

  *#afterRanks(row: Uint32Array, merge: EndMerge): Generator<void, void> {
    yield* merge.rank();
    const rest = this.fill(row);
    if (rest !== undefined) yield* rest;
  }

  /** The join with the fewest neighbours, if they are fewer than `most`. */
  #shortest(row: Uint32Array, most: number): BoundJoin | undefined {
    let shortest: BoundJoin | undefined;
    let least = most;
    for (const join of this.#joins) {
      const links = join.test.degree(row[join.slot]!);
      if (links >= least) continue;
      least = links;
      shortest = join;
    }
    return shortest;
  }

  #intersect(row: Uint32Array, join: BoundJoin, isEnd: (node: number) => boolean): void {
    this.#marks ??= this.#context.takeMarks();
    this.#marks.clear();
    join.adjacency.read(row[join.slot]!, this.#buffer);
    const { count, nodes } = this.#buffer;
    for (let at = 0; at < count; at++) {
      const node = nodes[at]!;
      if (this.#marks.add(node) && isEnd(node) && this.#isJoined(row, node, join)) this.#nodes.push(node);
    }
  }

  #filter(row: Uint32Array): void {
    const { nodes, links } = this.#ends;
    for (let at = 0; at < nodes.length; at++) {
      if (!this.#isJoined(row, nodes.at(at))) continue;
      this.#nodes.push(nodes.at(at));
      if (this.#level.keepsLinks) this.#links.push(links.at(at));
    }
  }

  #isJoined(row: Uint32Array, node: number, but?: BoundJoin): boolean {
    for (let at = 0; at < this.#joins.length; at++) {
      const join = this.#joins[at]!;
      if (join !== but && !join.test.holds(row[join.slot]!, node)) return false;
    }
    return true;
  }

  /** Sorts candidates in result order if required; long lists in steps. */
  #sorted(): Generator<void, void> | undefined {
    if (!this.#isOrdered) return undefined;
    const sorting = this.#sort();
    if (this.#nodes.length > SORTED_AT_ONCE_MAX) return sorting;
    completed(sorting);
    return undefined;
  }

  *#sort(): Generator<void, void> {
    const { reader, pace } = this.#context;
    if (!this.#level.keepsLinks) {
      this.#nodes = NodeList.of(yield* pace.through(reader.sorted(this.#nodes.toArray())));
      return;
    }
    const places = yield* sortedPlaces(
      this.#nodes.length,
      (a, b) => compareLinks(reader, this.#links.at(a), this.#links.at(b)),
      pace,
    );
    const [nodes, links] = [this.#nodes, this.#links];
    this.#nodes = NodeList.of(Uint32Array.from(places, (at) => nodes.at(at)));
    this.#links = NodeList.of(Uint32Array.from(places, (at) => links.at(at)));
  }
}
