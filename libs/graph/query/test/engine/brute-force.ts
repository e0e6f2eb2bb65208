/**
 * PQL's meaning, written down as directly as it can be: every way to match the pattern is tried, every
 * condition is read off the value. Nothing is shared with the engine but the parser, the binder and the
 * reader.
 */
import type { FieldValue, LinkBuffer, Scalar } from '#graph/model';
import type { GraphReader } from '#graph/execution';
import { completed } from '#platform/foundation';
import type { TextOperator } from '../../src/ast/ast.ts';
import type {
  BoundElement,
  BoundFind,
  BoundHop,
  BoundHopPattern,
  BoundLinked,
  BoundNode,
  RowExpression,
  RowOperand,
} from '../../src/binder/bound-query.ts';

/** The node or link of each element. */
export type Match = ReadonlyMap<number, number>;

export class BruteForce {
  readonly #reader: GraphReader;
  readonly #find: BoundFind;

  constructor(reader: GraphReader, find: BoundFind) {
    this.#reader = reader;
    this.#find = find;
  }

  /** Every match that passes WHERE. */
  matches(): Match[] {
    const { node, hops, where } = this.#find;
    const found: Match[] = [];
    for (const start of completed(this.#reader.select({ names: '*' }))) {
      if (!this.#isNode(node, start)) continue;
      const begun = new Map([[node.element, start]]);
      found.push(...this.#chain(hops, start, begun));
    }
    return found.filter((match) => where === undefined || this.#holds(where, match));
  }

  /** Distinct combinations of these elements; −1 for null. */
  rows(elements: readonly number[]): number[][] {
    const rows = new Map<string, number[]>();
    for (const match of this.matches()) {
      const row = elements.map((element) => match.get(element) ?? -1);
      rows.set(row.join(), row);
    }
    return [...rows.values()];
  }

  #chain(patterns: readonly BoundHopPattern[], at: number, match: Match): Match[] {
    const [first, ...rest] = patterns;
    if (first === undefined) return [match];
    if (first.kind === 'hop') {
      return this.#hop(first, at).flatMap(([link, end]) =>
        this.#chain(rest, end, new Map([...match, [first.element, link], [first.target.element, end]])),
      );
    }
    const inner = this.#chain(first.hops, at, match);
    if (first.mode === 'required') return inner.flatMap((found) => this.#chain(rest, at, found));
    if (first.mode === 'absent') return inner.length > 0 ? [] : this.#chain(rest, at, match);
    return (inner.length > 0 ? inner : [match]).flatMap((found) => this.#chain(rest, at, found));
  }

  /** Links (−1 for a trail) with the nodes they lead to. */
  #hop(hop: BoundHop, at: number): [number, number][] {
    const ends: [number, number][] =
      hop.repeat === undefined
        ? this.#links(hop, at)
        : [...new Set(this.#trails(hop, at, []))].map((end): [number, number] => [-1, end]);
    return ends.filter(([, end]) => this.#isNode(hop.target, end));
  }

  #trails(hop: BoundHop, at: number, trail: readonly number[]): number[] {
    const { min, max } = hop.repeat ?? { min: 1, max: 1 };
    const here = trail.length >= min ? [at] : [];
    if (trail.length >= max) return here;
    const onward = this.#links(hop, at).filter(([link]) => !trail.includes(link));
    return [...here, ...onward.flatMap(([link, end]) => this.#trails(hop, end, [...trail, link]))];
  }

  #links({ verbs, direction }: Pick<BoundHop, 'verbs' | 'direction'>, at: number): [number, number][] {
    const names = verbs === '*' ? '*' : verbs.map((verb) => verb.text);
    const buffer: LinkBuffer = { count: 0, nodes: new Uint32Array(1), links: new Uint32Array(1) };
    this.#reader.adjacency(names, direction).read(at, buffer);
    return Array.from({ length: buffer.count }, (_, index) => [
      buffer.links[index] ?? 0,
      buffer.nodes[index] ?? 0,
    ]);
  }

  #isNode(pattern: BoundNode, node: number): boolean {
    const { type, class: className, labels = [] } = this.#reader.entity(node);
    const own = [type, className, ...labels];
    const isNamed = pattern.names === '*' || pattern.names.some(({ text }) => own.includes(text));
    return isNamed && (!pattern.filter || this.#holds(pattern.filter, new Map([[pattern.element, node]])));
  }

  #holds(expression: RowExpression, match: Match): boolean {
    switch (expression.kind) {
      case 'and':
        return expression.items.every((item) => this.#holds(item, match));
      case 'or':
        return expression.items.some((item) => this.#holds(item, match));
      case 'not':
        return !this.#holds(expression.item, match);
      case 'linked':
        return this.#isLinked(expression, match);
      case 'same':
        return this.#isSame(expression, match) !== expression.negated;
      case 'exists':
        return isThere(this.#value(expression.left, match)) !== expression.negated;
      case 'compare':
        return this.#compares(expression, match);
      case 'in':
        return this.#isIn(expression, match) !== expression.negated;
      case 'between':
        return this.#isBetween(expression, match) !== expression.negated;
      case 'text':
        return this.#isText(expression, match) !== expression.negated;
    }
  }

  #isSame({ left, right }: RowExpression & { kind: 'same' }, match: Match): boolean {
    return match.has(left) && match.get(left) === match.get(right);
  }

  #isLinked({ left, right, ...hop }: BoundLinked, match: Match): boolean {
    const [from, to] = [match.get(left), match.get(right)];
    return from !== undefined && this.#links(hop, from).some(([, end]) => end === to);
  }

  #isBetween({ left, low, high }: RowExpression & { kind: 'between' }, match: Match): boolean {
    const [value, from, to] = [left, low, high].map((operand) => this.#value(operand, match));
    return typeof from === typeof to && isOrdered(from, value) && isOrdered(value, to);
  }

  #compares(expression: RowExpression & { kind: 'compare' }, match: Match): boolean {
    const left = this.#value(expression.left, match);
    const right = this.#value(expression.right, match);
    switch (expression.operator) {
      case '=':
        return isEqual(left, right);
      case '!=':
        return !isEqual(left, right);
      case '<=':
        return isOrdered(left, right);
      case '<':
        return isOrdered(left, right) && !isEqual(left, right);
      case '>=':
        return isOrdered(right, left);
      case '>':
        return isOrdered(right, left) && !isEqual(left, right);
    }
  }

  #isIn(expression: RowExpression & { kind: 'in' }, match: Match): boolean {
    if ('kind' in expression.values) throw new Error('parameters are not tried here');
    const left = this.#value(expression.left, match);
    return expression.values.some((value) => isEqual(left, this.#value(value, match)));
  }

  #isText(expression: RowExpression & { kind: 'text' }, match: Match): boolean {
    const value = this.#value(expression.left, match);
    const part = this.#value(expression.right, match);
    if (Array.isArray(value) && typeof part === 'string')
      return value.some((item: FieldValue) => isTextMatch(expression.operator, item, part));
    if (expression.operator === 'contains' && Array.isArray(value))
      return value.includes(part) && isThere(part);
    return isTextMatch(expression.operator, value, part);
  }

  #value(
    operand:
      RowOperand | { kind: 'literal'; value: Scalar } | { kind: 'date'; text: string } | { kind: string },
    match: Match,
  ): Compared {
    if ('value' in operand) return operand.value;
    if ('text' in operand) return new Date(operand.text.replace(/T\d\d$/, '$&:00Z'));
    if (!('element' in operand)) throw new Error(`${operand.kind} is not tried here`);
    const number = match.get(operand.element);
    if (number === undefined || operand.kind === 'element') return number;
    return this.#find.elements[operand.element]?.kind === 'hop'
      ? this.#reader.linkField(number, operand.field)
      : this.#reader.nodeField(number, operand.field);
  }
}

/** Elements that make up a row. */
export function visibleElements(find: BoundFind): number[] {
  const aliased = find.elements.filter((item: BoundElement) => item.alias !== undefined);
  return aliased.length === 0 ? [0] : aliased.map((item) => item.element);
}

/** Never true for anything but two texts. */
function isTextMatch(operator: TextOperator, value: Compared, part: Compared): boolean {
  if (typeof value !== 'string' || typeof part !== 'string') return false;
  switch (operator) {
    case 'contains':
      return value.includes(part);
    case 'starts_with':
      return value.startsWith(part);
    case 'ends_with':
      return value.endsWith(part);
    case 'like':
      return new RegExp(`^${part.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'su').test(value);
    case 'ilike':
      return new RegExp(`^${part.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'sui').test(value);
    case 'regex':
      return new RegExp(part, 'u').test(value);
  }
}

/** A value of the graph, or a time that it is compared with. */
type Compared = FieldValue | Date;

function isThere(value: Compared): boolean {
  return value !== undefined && value !== null;
}

/** The time that a value tells, if it is one. */
function timeOf(value: Compared): number {
  if (typeof value === 'number') return value * 1_000;
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : NaN;
}

function isEqual(left: Compared, right: Compared): boolean {
  if (right instanceof Date) {
    const values = Array.isArray(left) ? (left as readonly FieldValue[]) : [left];
    return values.some((value) => timeOf(value) === right.getTime());
  }
  if (left instanceof Date) return isEqual(right, left);
  if (!isThere(left) || !isThere(right)) return false;
  if (Array.isArray(left) && Array.isArray(right)) return JSON.stringify(left) === JSON.stringify(right);
  if (Array.isArray(left)) return left.includes(right);
  if (Array.isArray(right)) return right.includes(left);
  return left === right;
}

/** `left <= right`, of one kind; no list is in any order. */
function isOrdered(left: Compared, right: Compared): boolean {
  if (left instanceof Date) return timeOf(right) >= left.getTime();
  if (right instanceof Date) return timeOf(left) <= right.getTime();
  if (!isThere(left) || !isThere(right) || Array.isArray(left) || Array.isArray(right)) return false;
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right)) <= 0;
  return typeof left === typeof right && Number(left) <= Number(right);
}
