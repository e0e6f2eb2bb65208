import { describe, expect, it } from '@jest/globals';
import type { Adjacency, Direction, LinkBuffer, NodeBuffer, VerbSelection } from '#graph/model';
import { entity, NaiveReader, executionContextOf } from '#graph/testing';
import { completed, type Steps } from '#platform/foundation';
import type { PatternStep } from '../pattern/pattern.ts';
import { ReaderStatistics } from '../pattern/statistics.ts';
import { expand } from './expand.ts';
import { NodeSet } from './node-set.ts';

const NODES = 40_000;
/** Each node from here on links to its remainder: the same ends repeat, far apart. */
const FIRST = 20_000;
/** Maximum number of nodes whose neighbours are read in one call. */
const MOST = 16_384;

const entities = Array.from({ length: NODES }, (_, at) => entity('host', 'Host', String(at)));
const reader = new NaiveReader({ entities, relationships: [] });
const sources = Uint32Array.from({ length: NODES - FIRST }, (_, at) => FIRST + at);

class Remainders implements Adjacency {
  readonly linkCount = sources.length;
  /** The largest number of nodes in one call. */
  asked = 0;
  readonly #ends: (node: number) => readonly number[];

  constructor(ends: (node: number) => readonly number[]) {
    this.#ends = ends;
  }

  image(nodes: Uint32Array, keep: (node: number) => boolean = () => true): Uint32Array {
    this.asked = Math.max(this.asked, nodes.length);
    return Uint32Array.from(new Set(this.#all(nodes)))
      .filter(keep)
      .sort();
  }

  *imageInSteps(nodes: Uint32Array, keep?: (node: number) => boolean): Steps<Uint32Array> {
    const found = new Set<number>();
    for (let start = 0; start < nodes.length; start += MOST) {
      for (const end of this.image(nodes.subarray(start, start + MOST), keep)) found.add(end);
      yield;
    }
    return Uint32Array.from(found).sort();
  }

  read(node: number, into: LinkBuffer): void {
    this.readEnds(Uint32Array.of(node), into);
    into.links = into.nodes.map((end) => Math.max(node, end));
  }

  readEach(): void {
    throw new Error('expected hops of sets alone');
  }

  *linkedTo(nodes: Uint32Array, far: Uint32Array): Steps<Uint32Array> {
    yield;
    const isFar = (node: number): boolean => ((far[node >>> 5] ?? 0) & (1 << (node & 31))) !== 0;
    return nodes.filter((node) => this.#ends(node).some(isFar));
  }

  readEnds(nodes: Uint32Array, into: NodeBuffer): void {
    into.nodes = Uint32Array.from(this.#all(nodes));
    into.count = into.nodes.length;
  }

  countEnds(): void {
    throw new Error('expected hops of sets alone');
  }

  estimate(nodes: Uint32Array): number {
    return nodes.length;
  }

  #all(nodes: Uint32Array): readonly number[] {
    return Array.from(nodes).flatMap(this.#ends);
  }
}

class RemainderStatistics extends ReaderStatistics {
  readonly onward: Remainders;
  readonly #back: Remainders;

  constructor(divisor: number) {
    super(reader);
    const back = Map.groupBy(sources, (node) => node % divisor);
    this.onward = new Remainders((node) => (node < FIRST ? [] : [node % divisor]));
    this.#back = new Remainders((node) => back.get(node) ?? []);
  }

  override adjacency(_verbs: VerbSelection, direction: Direction): Adjacency {
    return direction === 'out' ? this.onward : this.#back;
  }
}

const HOP: PatternStep = { element: 1, verbs: '*', direction: 'out' };
const TRAIL: PatternStep = { ...HOP, repeat: { min: 1, max: 2 } };
const IF_LINKED: PatternStep = { ...HOP, condition: { kind: 'and', items: [] } };

describe.each([
  ['a hop', HOP],
  ['a repeated hop', TRAIL],
  ['a hop with a condition on its relationship', IF_LINKED],
])('%s from very many entities', (_, step) => {
  it.each([3_000, 15_000])('reaches each of %d ends once, in batches', (divisor) => {
    const statistics = new RemainderStatistics(divisor);
    const context = executionContextOf(reader, statistics);

    const ends = completed(expand(context, new NodeSet(sources, true, NODES), step, undefined));

    expect(ends.nodes).toEqual(Uint32Array.from({ length: divisor }, (__, end) => end));
    expect(statistics.onward.asked).toBeLessThanOrEqual(MOST);
  });

  it('reaches only accepted ends', () => {
    const context = executionContextOf(reader, new RemainderStatistics(15_000));

    const from = new NodeSet(sources, true, NODES);
    const ends = completed(expand(context, from, step, (node) => node % 5_000 === 7));

    expect([...ends.nodes]).toEqual([7, 5_007, 10_007]);
  });
});
