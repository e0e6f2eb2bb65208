/**
 * What the search for patterns as sets needs to know of the MATCHes that a query begins with: a tree of nodes
 * and relationships, tests of single properties, and conditions between elements. Elements are numbered:
 * nodes, then relationships, then *doubles*. A relationship that closes a cycle leads to a double of its end,
 * which is required to be the same node.
 */
import { isOneOf } from '#platform/foundation';
import type { CompilerParts } from '../expression/compile-expression.ts';
import {
  entriesOf,
  isByTypes,
  type LinkElement,
  type NodeElement,
  type PatternGraph,
} from '../match/pattern-graph.ts';
import type {
  Expression,
  HopRange,
  LabelExpression,
  LinkDirection,
  LinkPattern,
  NodePattern,
  PathPattern,
  Span,
} from '../syntax/ast.ts';
import { equalityTest, type PropertyTest, propertyTest } from '../match/property-test.ts';

/** One MATCH. */
export interface LeadingMatch {
  readonly graph: PatternGraph;
  readonly where: Expression | undefined;
  readonly isOptional: boolean;
  readonly span: Span;
}

export interface SearchNode {
  readonly slot: number;
  names: readonly string[] | '*';
  readonly tests: PropertyTest[];
  readonly clause: number;
}

export interface SearchLink {
  readonly slot: number;
  readonly left: number;
  readonly right: number;
  readonly types: readonly string[] | '*';
  readonly direction: LinkDirection;
  readonly range: HopRange | undefined;
  readonly clause: number;
  /** Its end is reached by other relationships already. */
  readonly isClosing: boolean;
}

export interface Linked {
  readonly left: number;
  readonly right: number;
  readonly types: readonly string[] | '*';
  readonly direction: LinkDirection;
}

/** Conditions between elements by number: of nodes where they are not said to be of relationships. */
export interface SearchConditions {
  readonly same: readonly (readonly [number, number])[];
  readonly different: readonly (readonly [number, number])[];
  readonly linked: readonly Linked[];
  readonly unlinked: readonly Linked[];
  /** Relationships, by their own numbers. */
  readonly differentLinks: readonly (readonly [number, number])[];
}

export interface SearchShape {
  readonly nodes: readonly SearchNode[];
  readonly links: readonly SearchLink[];
  readonly conditions: SearchConditions;
  /** The clauses that are optional. */
  readonly optional: ReadonlySet<number>;
}

/** Patterns are planned recursively, so their size is bounded. */
const ELEMENTS_MAX = 64;

/** Undefined where the matches hold something else. `parts` has the scope after them. */
export function searchShapeOf(
  matches: readonly LeadingMatch[],
  parts: CompilerParts,
): SearchShape | undefined {
  const builder = new ShapeBuilder(parts);
  for (const match of matches) if (!builder.add(match)) return undefined;
  return builder.shape();
}

class ShapeBuilder {
  readonly #parts: CompilerParts;
  readonly #nodes: SearchNode[] = [];
  readonly #links: SearchLink[] = [];
  readonly #numbers = new Map<number, number>();
  /** Of each node: the part of the pattern that it belongs to. */
  readonly #component: number[] = [];
  readonly #same: [number, number][] = [];
  readonly #different: [number, number][] = [];
  readonly #unlinked: Linked[] = [];
  readonly #linked: Linked[] = [];
  readonly #optional = new Set<number>();
  #clause = -1;
  #elements = 0;

  constructor(parts: CompilerParts) {
    this.#parts = parts;
  }

  shape(): SearchShape | undefined {
    if (new Set(this.#component).size !== 1) return undefined;
    const differentLinks = this.#differentLinks();
    if (differentLinks === undefined) return undefined;
    return {
      nodes: this.#nodes,
      links: this.#links,
      optional: this.#optional,
      conditions: {
        same: this.#same,
        different: this.#different,
        linked: this.#linked,
        unlinked: this.#unlinked,
        differentLinks,
      },
    };
  }

  /** False where the match has something that is not searched so. */
  add({ graph, where, isOptional }: LeadingMatch): boolean {
    this.#clause++;
    if (isOptional) this.#optional.add(this.#clause);
    else if (this.#optional.size > 0) return false;
    this.#elements += graph.nodes.length + graph.links.length;
    if (graph.paths.length > 0 || this.#elements > ELEMENTS_MAX) return false;
    const known = this.#nodes.length;
    const numbers = graph.nodes.map(({ slot }) => this.#numberOf(slot));
    if (!graph.nodes.every((node, at) => this.#addNode(node, numbers[at] ?? 0))) return false;
    if (!this.#addLinks(graph, numbers)) return false;
    if (isOptional && !this.#isBranch(known, numbers)) return false;
    return conjunctsOf(where).every((condition) => this.#addCondition(condition));
  }

  #addNode({ patterns }: NodeElement, number: number): boolean {
    return patterns.every(
      (pattern) =>
        (pattern.where === undefined || this.#addCondition(pattern.where)) &&
        this.#addLabels(number, pattern.labels) &&
        this.#addProperties(number, pattern),
    );
  }

  #numberOf(slot: number): number {
    const known = this.#numbers.get(slot);
    if (known !== undefined) return known;
    const number = this.#nodes.push({ slot, names: '*', tests: [], clause: this.#clause }) - 1;
    this.#numbers.set(slot, number);
    this.#component.push(number);
    return number;
  }

  #addLabels(number: number, labels: LabelExpression | undefined): boolean {
    if (labels === undefined) return true;
    const names = alternativesOf(labels);
    const node = this.#nodes[number];
    if (names === undefined || node === undefined || !this.#isOwn(number)) return false;
    if (node.names !== '*' && node.names.join('\0') !== names.join('\0')) return false;
    node.names = names;
    return true;
  }

  /** A later clause that is optional narrows no node of an earlier one. */
  #isOwn(number: number): boolean {
    return !this.#optional.has(this.#clause) || this.#nodes[number]?.clause === this.#clause;
  }

  #addProperties(number: number, pattern: NodePattern): boolean {
    if (pattern.properties !== undefined && pattern.properties.kind !== 'map') return false;
    const entries = entriesOf(pattern);
    if (entries.length > 0 && !this.#isOwn(number)) return false;
    for (const { key, value } of entries) {
      const test = equalityTest(key, value, this.#parts);
      if (test === undefined) return false;
      this.#nodes[number]?.tests.push(test);
    }
    return true;
  }

  #addLinks({ links }: PatternGraph, numbers: readonly number[]): boolean {
    return links.every((link) => this.#addLink(link, numbers));
  }

  #addLink(element: LinkElement, numbers: readonly number[]): boolean {
    if (!isSearched(element)) return false;
    const { slot, pattern, types } = element;
    const { range, direction } = pattern;
    const [left, right] = [numbers[element.left] ?? 0, numbers[element.right] ?? 0];
    const isClosing = !this.#connect(left, right);
    if (isClosing && (range !== undefined || this.#optional.has(this.#clause))) return false;
    const link = { slot, left, right, types, direction, range, clause: this.#clause, isClosing };
    this.#links.push(link);
    if (isClosing && left !== right) this.#linked.push(link);
    return true;
  }

  /** False where the nodes are connected already. */
  #connect(left: number, right: number): boolean {
    const [a, b] = [this.#component[left], this.#component[right]];
    if (a === undefined || b === undefined || a === b) return false;
    for (const [at, component] of this.#component.entries()) if (component === b) this.#component[at] = a;
    return true;
  }

  /** Whether the optional clause hangs at one node that is always there. */
  #isBranch(known: number, numbers: readonly number[]): boolean {
    const own = this.#links.filter(({ clause }) => clause === this.#clause);
    const bound = [...new Set(numbers)].filter((number) => number < known);
    const [near] = bound;
    if (near === undefined || bound.length > 1 || own.length === 0) return false;
    return !this.#optional.has(this.#nodes[near]?.clause ?? -1);
  }

  #addCondition(condition: Expression): boolean {
    const found = propertyTest(condition, this.#parts);
    if (found !== undefined) {
      const number = this.#numberNamed(found.variable);
      if (number === undefined || !this.#isOwn(number)) return false;
      this.#nodes[number]?.tests.push(found.test);
      return true;
    }
    return !this.#optional.has(this.#clause) && (this.#addIdentity(condition) || this.#addPattern(condition));
  }

  #addIdentity(condition: Expression): boolean {
    if (condition.kind !== 'comparison' || condition.rest.length !== 1) return false;
    const [test] = condition.rest;
    if (test === undefined || (test.operator !== '=' && test.operator !== '<>')) return false;
    const left = this.#nodeOf(condition.first);
    const right = this.#nodeOf(test.operand);
    if (left === undefined || right === undefined || left === right) return false;
    (test.operator === '=' ? this.#same : this.#different).push([left, right]);
    return true;
  }

  /** `(a)-[:T]-(b)` and NOT of it, between nodes of the matches. */
  #addPattern(condition: Expression): boolean {
    const isNegated = condition.kind === 'unary' && condition.operator === 'not';
    const part = isNegated ? condition.operand : condition;
    const linked = part.kind === 'pattern' ? this.#linkedBy(part.pattern) : undefined;
    if (linked === undefined || linked.left === linked.right) return false;
    (isNegated ? this.#unlinked : this.#linked).push(linked);
    return true;
  }

  #linkedBy({ nodes, links, variable, shortest }: PathPattern): Linked | undefined {
    const [link] = links;
    const [left, right] = nodes.map((node) =>
      isNameAlone(node) ? this.#numberNamed(node.variable?.text) : undefined,
    );
    if (link === undefined || links.length > 1 || variable !== undefined || shortest !== undefined)
      return undefined;
    const types = link.types === undefined ? '*' : alternativesOf(link.types);
    const isPlain = isTypesAlone(link) && link.variable === undefined && link.range === undefined;
    if (!isPlain || types === undefined || left === undefined || right === undefined) return undefined;
    return { left, right, types, direction: link.direction };
  }

  #nodeOf(expression: Expression): number | undefined {
    return expression.kind === 'variable' ? this.#numberNamed(expression.name) : undefined;
  }

  /** Of a node that is always there, or that the clause itself has. */
  #numberNamed(name: string | undefined): number | undefined {
    const slot = name === undefined ? undefined : this.#parts.scope.find(name)?.slot;
    return slot === undefined ? undefined : this.#numbers.get(slot);
  }

  /** Pairs of one clause that may be one relationship; undefined where that cannot be tested. */
  #differentLinks(): SearchConditions['differentLinks'] | undefined {
    const pairs: [number, number][] = [];
    for (const [first, one] of this.#links.entries()) {
      for (const [second, other] of this.#links.entries()) {
        if (second <= first || one.clause !== other.clause || !meet(one.types, other.types)) continue;
        if (this.#haveDifferentEnds(one, other)) continue;
        const isLong = one.range !== undefined || other.range !== undefined;
        if (isLong || this.#optional.has(one.clause)) return undefined;
        pairs.push([first, second]);
      }
    }
    return pairs;
  }

  /** One relationship has two ends: with one in common, the others would be the same node. */
  #haveDifferentEnds(one: SearchLink, other: SearchLink): boolean {
    if (one.range !== undefined || other.range !== undefined) return false;
    return this.#different.some(([a, b]) => areApart(one, other, a, b) || areApart(one, other, b, a));
  }
}

function isSearched(link: LinkElement): boolean {
  const { pattern, shortest, isBound } = link;
  const isNamedPath = pattern.range !== undefined && pattern.variable !== undefined;
  return isByTypes(link) && shortest === undefined && !isBound && !isNamedPath;
}

/** Without conditions but its types. */
function isTypesAlone({ properties, where, group }: LinkPattern): boolean {
  return properties === undefined && where === undefined && group === undefined;
}

function isNameAlone({ variable, labels, properties, where }: NodePattern): boolean {
  return variable !== undefined && labels === undefined && properties === undefined && where === undefined;
}

/** Whether the links differ because `a`, an end of `one`, is another node than `b`, an end of `other`. */
function areApart(one: SearchLink, other: SearchLink, a: number, b: number): boolean {
  if (!joins(one, a) || !joins(other, b)) return false;
  if (restOf(one, a) === restOf(other, b)) return true;
  const isStartOfOne = isStart(one, a);
  return isStartOfOne !== undefined && isStartOfOne === isStart(other, b);
}

/** Undefined for a link whose direction is open. */
function isStart({ left, direction }: SearchLink, node: number): boolean | undefined {
  return direction === 'any' ? undefined : (direction === 'out') === (left === node);
}

function joins({ left, right }: SearchLink, node: number): boolean {
  return left === node || right === node;
}

function restOf({ left, right }: SearchLink, node: number): number {
  return left === node ? right : left;
}

function meet(one: readonly string[] | '*', other: readonly string[] | '*'): boolean {
  return one === '*' || other === '*' || one.some((type) => isOneOf(other, type));
}

/** The names of which one is enough; undefined for other expressions. */
function alternativesOf(labels: LabelExpression): readonly string[] | undefined {
  if (labels.kind === 'label') return [labels.name];
  if (labels.kind !== 'or') return undefined;
  const names = labels.items.flatMap((item) => (item.kind === 'label' ? [item.name] : []));
  return names.length === labels.items.length ? [...new Set(names)] : undefined;
}

/** AND at the top is several conditions. */
function conjunctsOf(where: Expression | undefined): readonly Expression[] {
  const found: Expression[] = [];
  const waiting = where === undefined ? [] : [where];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind === 'binary' && next.operator === 'and') waiting.push(next.left, next.right);
    else found.push(next);
  }
  return found;
}
