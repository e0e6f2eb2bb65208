/** The pattern of a shape: all of it that no run changes is made once. */
import type {
  Pattern,
  PatternGroup,
  PatternHop,
  PatternNode,
  PatternStep,
  RowCondition,
} from '#graph/execution';
import type { Direction, Selection } from '#graph/model';
import { filterOfTests, type TestGround } from '../match/property-test.ts';
import type { Linked, SearchLink, SearchNode, SearchShape } from './search-shape.ts';

export interface Elements {
  /** Elements that rows have: all of them where each row counts, else those that are read. */
  readonly isEachRow: boolean;
  readonly read: { has(element: number): boolean };
  /** The node that the pattern begins with. */
  readonly root: number;
}

/** A part of the pattern for one run, whose selections have the values of its parameters. */
type Filled<Part> = (ground: TestGround) => Part;

export class SearchPattern {
  /** All elements, with the doubles. */
  readonly elements: readonly number[];
  readonly #shape: SearchShape;
  /** Links that have a double of their end. */
  readonly #doubled: readonly number[];
  readonly #conditions: readonly RowCondition[];
  readonly #root: Filled<PatternNode>;

  constructor(shape: SearchShape, { isEachRow, read, root }: Elements) {
    this.#shape = shape;
    const isRead = (link: number): boolean => isEachRow || read.has(this.#linkElement(link));
    this.#doubled = doubledLinks(shape, isRead);
    const { nodes, links } = shape;
    this.elements = [
      ...nodes.keys(),
      ...[...links.keys()].map((link) => this.#linkElement(link)),
      ...this.#doubled.map((link) => this.#doubleOf(link)),
    ];
    this.#conditions = this.#makeConditions();
    this.#root = this.#node(root, -1);
  }

  /** Whether no condition ties nodes of different steps. */
  get hasOnlySteps(): boolean {
    return this.#conditions.length === 0;
  }

  filled(ground: TestGround): Pattern {
    return { root: this.#root(ground), conditions: this.#conditions };
  }

  #linkElement(link: number): number {
    return this.#shape.nodes.length + link;
  }

  #doubleOf(link: number): number {
    const { nodes, links } = this.#shape;
    return nodes.length + links.length + link;
  }

  /** The node with all that hangs at it but the relationship that led there. */
  #node(number: number, from: number): Filled<PatternNode> {
    const { nodes, links, optional } = this.#shape;
    const node = nodes[number];
    const isOptional = (link: SearchLink): boolean =>
      optional.has(link.clause) && node?.clause !== link.clause;
    const hops: Filled<PatternHop>[] = [];
    const groups = new Map<number, Filled<PatternHop>[]>();
    for (const [at, link] of links.entries()) {
      if (link.left === number && this.#doubled.includes(at)) hops.push(this.#doubleHop(at, link));
      if (!isAt(link, number) || link.isClosing || at === from) continue;
      const hop = this.#hop(at, link, number);
      if (isOptional(link)) groups.set(link.clause, [...(groups.get(link.clause) ?? []), hop]);
      else hops.push(hop);
    }
    const grouped = [...groups.values()];
    const everything = { element: number, selection: EVERYTHING };
    const selected = (ground: TestGround): Selection =>
      node === undefined ? EVERYTHING : selectionOf(node, ground);
    return (ground) => ({
      ...everything,
      selection: selected(ground),
      hops: hops.map((hop) => hop(ground)),
      groups: grouped.map((each): PatternGroup => ({
        mode: 'optional',
        hops: each.map((hop) => hop(ground)),
        groups: [],
      })),
    });
  }

  #hop(at: number, link: SearchLink, near: number): Filled<PatternHop> {
    const isReversed = link.left !== near;
    const step = this.#step(at, link, isReversed);
    const target = this.#node(isReversed ? link.left : link.right, at);
    return (ground) => ({ step, target: target(ground) });
  }

  #doubleHop(at: number, link: SearchLink): Filled<PatternHop> {
    const target = { element: this.#doubleOf(at), selection: EVERYTHING, hops: [], groups: [] };
    const hop = { step: this.#step(at, link, false), target };
    return () => hop;
  }

  #step(at: number, { types: verbs, direction, range }: SearchLink, isReversed: boolean): PatternStep {
    const step = {
      element: this.#linkElement(at),
      verbs,
      direction: isReversed ? REVERSED[direction] : direction,
    };
    return range === undefined ? step : { ...step, repeat: { min: range.min, max: range.max ?? Infinity } };
  }

  #makeConditions(): readonly RowCondition[] {
    const { conditions, links } = this.#shape;
    const doubles = this.#doubled.map((link): RowCondition => ({
      kind: 'same',
      left: links[link]?.right ?? 0,
      right: this.#doubleOf(link),
    }));
    return [
      ...doubles,
      ...conditions.same.map(([left, right]): RowCondition => ({ kind: 'same', left, right })),
      ...conditions.linked.map(linkedCondition),
      ...conditions.different.map(([left, right]) => not({ kind: 'same', left, right })),
      ...conditions.unlinked.map((linked) => not(linkedCondition(linked))),
      ...conditions.differentLinks.map(([one, other]) =>
        not({ kind: 'same', left: this.#linkElement(one), right: this.#linkElement(other) }),
      ),
    ];
  }
}

/** The nodes that a node of the shape may be, with the values of a run. */
export function selectionOf({ names, tests }: SearchNode, ground: TestGround): Selection {
  const filter = filterOfTests(tests, names, ground);
  return filter === undefined ? { names } : { names, filter };
}

/** Where rows do not count, a relationship that closes a cycle and is not read only has to exist. */
function doubledLinks(
  { links, conditions }: SearchShape,
  isRead: (link: number) => boolean,
): readonly number[] {
  const told = new Set(conditions.differentLinks.flat());
  return links.flatMap(({ isClosing, left, right }, link) =>
    isClosing && (isRead(link) || told.has(link) || left === right) ? [link] : [],
  );
}

const EVERYTHING: Selection = { names: '*' };
const REVERSED: Readonly<Record<Direction, Direction>> = { out: 'in', in: 'out', any: 'any' };

function isAt({ left, right }: SearchLink, node: number): boolean {
  return left === node || right === node;
}

function not(item: RowCondition): RowCondition {
  return { kind: 'not', item };
}

function linkedCondition({ left, right, types: verbs, direction }: Linked): RowCondition {
  return { kind: 'linked', left, right, verbs, direction };
}
