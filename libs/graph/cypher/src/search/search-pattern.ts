/** The pattern of a shape for one run: its selections have the values of the parameters. */
import type {
  GraphReader,
  Pattern,
  PatternGroup,
  PatternHop,
  PatternNode,
  PatternStep,
  RowCondition,
} from '#graph/execution';
import type { Direction, Filter, Selection } from '#graph/model';
import type { Run } from '../graph/run.ts';
import { filterOfTest } from '../match/property-test.ts';
import type { Linked, SearchLink, SearchNode, SearchShape } from './search-shape.ts';

/** Elements that rows have: all of them where each row counts, else those that are read. */
export interface Elements {
  readonly isEachRow: boolean;
}

export class SearchPattern {
  readonly #shape: SearchShape;
  readonly #parts: { readonly reader: GraphReader; readonly run: Run };
  readonly #isEachRow: boolean;

  constructor(
    shape: SearchShape,
    parts: { readonly reader: GraphReader; readonly run: Run },
    { isEachRow }: Elements,
  ) {
    this.#shape = shape;
    this.#parts = parts;
    this.#isEachRow = isEachRow;
  }

  get whole(): Pattern {
    return { root: this.#node(0, -1), conditions: this.#conditions() };
  }

  /** All elements, with the doubles. */
  get elements(): readonly number[] {
    const { nodes, links } = this.#shape;
    return [
      ...nodes.keys(),
      ...[...links.keys()].map((link) => this.linkElement(link)),
      ...this.#doubled().map((link) => this.#doubleOf(link)),
    ];
  }

  linkElement(link: number): number {
    return this.#shape.nodes.length + link;
  }

  selectionOf({ names, tests }: SearchNode): Selection {
    const filters = tests.map((test) => filterOfTest(test, names, this.#parts));
    const [only] = filters;
    if (only === undefined) return { names };
    const filter: Filter = filters.length === 1 ? only : { kind: 'and', items: filters };
    return { names, filter };
  }

  #doubleOf(link: number): number {
    const { nodes, links } = this.#shape;
    return nodes.length + links.length + link;
  }

  /** Where rows do not count, a relationship that closes a cycle only has to exist. */
  #doubled(): readonly number[] {
    const { links, conditions } = this.#shape;
    const told = new Set(conditions.differentLinks.flat());
    return links.flatMap(({ isClosing, left, right }, link) =>
      isClosing && (this.#isEachRow || told.has(link) || left === right) ? [link] : [],
    );
  }

  /** The node with all that hangs at it but the relationship that led there. */
  #node(number: number, from: number): PatternNode {
    const { nodes, links, optional } = this.#shape;
    const node = nodes[number];
    const doubled = this.#doubled();
    const isOptional = (link: SearchLink): boolean =>
      optional.has(link.clause) && node?.clause !== link.clause;
    const hops: PatternHop[] = [];
    const groups = new Map<number, PatternHop[]>();
    for (const [at, link] of links.entries()) {
      if (link.left === number && doubled.includes(at)) hops.push(this.#doubleHop(at, link));
      if (!isAt(link, number) || link.isClosing || at === from) continue;
      const hop = this.#hop(at, link, number);
      if (isOptional(link)) groups.set(link.clause, [...(groups.get(link.clause) ?? []), hop]);
      else hops.push(hop);
    }
    return {
      element: number,
      selection: node === undefined ? EVERYTHING : this.selectionOf(node),
      hops,
      groups: [...groups.values()].map((each): PatternGroup => ({
        mode: 'optional',
        hops: each,
        groups: [],
      })),
    };
  }

  #hop(at: number, link: SearchLink, near: number): PatternHop {
    const isReversed = link.left !== near;
    return {
      step: this.#step(at, link, isReversed),
      target: this.#node(isReversed ? link.left : link.right, at),
    };
  }

  #doubleHop(at: number, link: SearchLink): PatternHop {
    const target = { element: this.#doubleOf(at), selection: EVERYTHING, hops: [], groups: [] };
    return { step: this.#step(at, link, false), target };
  }

  #step(at: number, { types: verbs, direction, range }: SearchLink, isReversed: boolean): PatternStep {
    const step = {
      element: this.linkElement(at),
      verbs,
      direction: isReversed ? REVERSED[direction] : direction,
    };
    return range === undefined ? step : { ...step, repeat: { min: range.min, max: range.max ?? Infinity } };
  }

  #conditions(): readonly RowCondition[] {
    const { conditions, links } = this.#shape;
    const doubles = this.#doubled().map((link): RowCondition => ({
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
        not({ kind: 'same', left: this.linkElement(one), right: this.linkElement(other) }),
      ),
    ];
  }
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
