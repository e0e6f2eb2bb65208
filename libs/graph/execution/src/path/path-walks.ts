/**
 * Reads paths off the levels of a search. Every node of a level is on a shortest path, so no walk ends early.
 * *Hot path*: the links of a node to the next level are read and sorted once, however many paths pass it.
 */
import type { PatternStep } from '../pattern/pattern.ts';
import { emptyBuffer, type ExecutionContext } from '../context/execution-context.ts';
import { compareLinks } from '../set/link-order.ts';

/** Which paths are wanted. */
export interface PathDemand {
  /** Every shortest path, not the first one only. */
  readonly all: boolean;
  /** Whether each source is searched by itself. */
  readonly each: boolean;
  readonly step: PatternStep;
  /** Maximum number of hops. */
  readonly depth: number;
  readonly limit: number;
}

export interface FoundPath {
  readonly nodes: Uint32Array;
  /** Relationships between the nodes: one less than nodes. */
  readonly links: Uint32Array;
}

/** The links of a node to the next level, with the nodes there; the least first. */
interface Onward {
  readonly nodes: Uint32Array;
  readonly links: Uint32Array;
}

type IsNext = (node: number) => boolean;

const BYTES_PER_LIST = 128;
/** Filled and read without yielding in between, so one buffer serves all searches. */
const buffer = emptyBuffer();

export function pathBytes({ nodes, links }: FoundPath): number {
  return BYTES_PER_LIST * 2 + nodes.byteLength + links.byteLength;
}

/** Collects paths: one, or all, of each walk. Paths are ordered by node and relationship in turn. */
export class PathWalks {
  readonly found: FoundPath[] = [];
  readonly #context: ExecutionContext;
  readonly #plan: PathDemand;
  /** Continuations by node, which is on one level only. */
  readonly #onward = new Map<number, Onward>();
  #slots = 0;

  constructor(context: ExecutionContext, plan: PathDemand) {
    this.#context = context;
    this.#plan = plan;
  }

  get isFull(): boolean {
    return this.found.length >= this.#plan.limit;
  }

  /** Walks from the starts, in their order; `isNext` returns whether a node is on the next level. */
  *walk(starts: Uint32Array, isNext: readonly IsNext[]): Generator<void, void> {
    for (const start of this.#plan.all ? starts : starts.subarray(0, 1)) {
      if (this.isFull) return;
      yield* this.#walkFrom(start, isNext);
    }
  }

  /** Depth first, without recursion: paths may be long. `places` has the next choice at each node. */
  *#walkFrom(start: number, isNext: readonly IsNext[]): Generator<void, void> {
    const hops = isNext.length;
    const nodes = new Uint32Array(hops + 1);
    const links = new Uint32Array(hops);
    const places = new Uint32Array(hops + 1);
    nodes[0] = start;
    for (let hop = 0; hop >= 0 && !this.isFull;) {
      if (this.#context.pace.isDue(1)) yield;
      if (hop === hops) {
        this.#keep({ nodes: nodes.slice(), links: links.slice() });
        if (!this.#plan.all) return;
        hop--;
        continue;
      }
      const onward = this.#onwardOf(nodes[hop]!, isNext[hop]!);
      const place = places[hop]!++;
      if (place < onward.nodes.length) {
        links[hop] = onward.links[place]!;
        nodes[++hop] = onward.nodes[place]!;
        places[hop] = 0;
      } else hop--;
    }
  }

  #keep(path: FoundPath): void {
    this.#slots += path.nodes.length + path.links.length;
    this.#context.checkSlots(this.#slots);
    this.#context.hold(pathBytes(path));
    this.found.push(path);
  }

  #onwardOf(node: number, isNext: IsNext): Onward {
    const known = this.#onward.get(node);
    if (known !== undefined) return known;
    const onward = this.#read(node, isNext);
    this.#context.hold(BYTES_PER_LIST * 2 + onward.nodes.byteLength * 2);
    this.#onward.set(node, onward);
    return onward;
  }

  /** If one path is wanted, only the least link. */
  #read(node: number, isNext: IsNext): Onward {
    this.#context.adjacency(this.#plan.step).read(node, buffer);
    let kept: number[] = [];
    for (let at = 0; at < buffer.count; at++) {
      if (!isNext(buffer.nodes[at]!)) continue;
      if (this.#plan.all) kept.push(at);
      else if (kept.length === 0 || this.#compare(at, kept[0]!) < 0) kept = [at];
    }
    kept.sort((a, b) => this.#compare(a, b));
    return {
      nodes: Uint32Array.from(kept, (at) => buffer.nodes[at]!),
      links: Uint32Array.from(kept, (at) => buffer.links[at]!),
    };
  }

  #compare(a: number, b: number): number {
    const { reader } = this.#context;
    return (
      reader.compare(buffer.nodes[a]!, buffer.nodes[b]!) ||
      compareLinks(reader, buffer.links[a]!, buffer.links[b]!)
    );
  }
}
