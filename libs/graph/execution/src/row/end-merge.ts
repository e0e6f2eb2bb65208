/**
 * Merges the ends of a level that differ in nothing the result shows: of the ends with equal values of some
 * fields only one is bound, with the number of all. Round a hub, the rows are as many as its values then, and
 * not as many as its neighbours. *Hot path*: buffers are reused.
 */
import type { FieldValue } from '#graph/model';
import { WideMap } from '#platform/foundation';
import type { ExecutionContext } from '../context/execution-context.ts';
import { NodeList } from '../context/node-list.ts';
import type { NodeSet } from '../set/node-set.ts';

/** After this many comparisons of ends, all of them are ranked. */
const COMPARISONS_MAX = 4_096;
/** Memory of a known combination of values, without its characters. */
const CLASS_BYTES = 96;

export interface MergeDemand {
  /** Ends with equal values of these fields are merged. */
  readonly fields: readonly string[];
  /** Whether the first end in result order is bound; else any. */
  readonly isOrdered: boolean;
  /** All nodes to which the level may lead. */
  readonly ends: NodeSet;
}

export class EndMerge {
  readonly #context: ExecutionContext;
  readonly #demand: MergeDemand;
  /** Combinations of values, by number from 1 on. */
  readonly #classes = new WideMap<number>();
  #classCount = 0;
  /** For each node the number of its combination, or 0 if it was not read yet. */
  #classOf: Uint32Array | undefined;
  /** For each combination: one more than the place of its end among the merged ones. */
  #placeOf = new Uint32Array(64);
  #counts = new Float64Array(64);
  readonly #found = new NodeList();
  /** Place of each end in result order. */
  #rankOf: Uint32Array | undefined;
  #comparisons = 0;

  constructor(context: ExecutionContext, demand: MergeDemand) {
    this.#context = context;
    this.#demand = demand;
  }

  /** Whether {@link rank} is to be run before ends are merged. */
  get isRankDue(): boolean {
    return this.#rankOf === undefined && this.#comparisons > COMPARISONS_MAX;
  }

  /** Ranks all ends, so that none need be compared. */
  *rank(): Generator<void, void> {
    const { reader, pace } = this.#context;
    const rankOf = this.#nodeNumbers();
    const sorted = yield* pace.through(reader.sorted(this.#demand.ends.nodes.slice()));
    for (let rank = 0; rank < sorted.length; rank++) {
      rankOf[sorted[rank]!] = rank;
      if (pace.isDue(1)) yield;
    }
    this.#rankOf = rankOf;
  }

  /**
   * Cuts the nodes, and their links if there are any, to one for each combination. Returns how many each
   * stands for, valid until the next call.
   */
  merge(nodes: NodeList, links: NodeList): Float64Array {
    const classOf = (this.#classOf ??= this.#nodeNumbers());
    const hasLinks = links.length > 0;
    this.#found.clear();
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes.at(at);
      const known = classOf[node]!;
      const number = known === 0 ? (classOf[node] = this.#classify(node)) : known;
      let place = this.#placeOf[number]! - 1;
      if (place < 0) {
        place = this.#open(number);
      } else {
        this.#counts[place]!++;
        if (!this.#isBefore(node, nodes.at(place))) continue;
      }
      nodes.set(place, node);
      if (hasLinks) links.set(place, links.at(at));
    }
    for (let at = 0; at < this.#found.length; at++) this.#placeOf[this.#found.at(at)] = 0;
    nodes.length = this.#found.length;
    if (hasLinks) links.length = this.#found.length;
    return this.#counts;
  }

  /** The place of the first end of a combination. */
  #open(number: number): number {
    const place = this.#found.length;
    this.#found.push(number);
    this.#placeOf[number] = place + 1;
    if (place === this.#counts.length) {
      const grown = new Float64Array(2 * place);
      grown.set(this.#counts);
      this.#counts = grown;
    }
    this.#counts[place] = 1;
    return place;
  }

  #classify(node: number): number {
    const { reader } = this.#context;
    const key = JSON.stringify(this.#demand.fields.map((field) => fieldKey(reader.nodeField(node, field))));
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const number = ++this.#classCount;
    this.#classes.add(key, number);
    this.#context.hold(CLASS_BYTES + key.length);
    if (number === this.#placeOf.length) {
      const grown = new Uint32Array(2 * number);
      grown.set(this.#placeOf);
      this.#placeOf = grown;
    }
    return number;
  }

  #isBefore(a: number, b: number): boolean {
    if (!this.#demand.isOrdered) return false;
    const rankOf = this.#rankOf;
    if (rankOf !== undefined) return rankOf[a]! < rankOf[b]!;
    this.#comparisons++;
    return this.#context.reader.compare(a, b) < 0;
  }

  #nodeNumbers(): Uint32Array {
    const numbers = new Uint32Array(this.#context.reader.nodeBound);
    this.#context.hold(numbers.byteLength);
    return numbers;
  }
}

/** A key that is the same for equal values of one field. */
export function fieldKey(value: FieldValue): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  return Array.isArray(value) ? `\0${JSON.stringify(value)}` : (value as string | number | boolean);
}
