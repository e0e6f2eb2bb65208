/** Rows of a search as rows of a statement, each with the number that it stands for. *Hot path*. */
import { countedRows, NO_ELEMENT, type NodeMarks, type RowSink } from '#graph/execution';
import { SeveralNodes } from '../function/aggregates.ts';
import { extended, type Row } from '../graph/run.ts';
import { LinkValue, NodeValue, type Value } from '../value/value.ts';

/** An element that is read: its place among the slots of the search, and its slot in the row. */
export interface ReadElement {
  readonly from: number;
  readonly to: number;
  readonly isLink: boolean;
}

export interface WeightedParts {
  /** What the rows extend. */
  readonly row: Row;
  readonly elements: readonly ReadElement[];
  readonly weightSlot: number;
  /** Whether equal rows count as one. */
  readonly isOnce: boolean;
}

export interface SearchRows extends RowSink {
  /** Those that are complete; all are so at the end. */
  take(isEnd: boolean): readonly Row[];
}

/** One row for all different nodes at a place. */
export class DistinctNodes implements SearchRows {
  rows = 0;
  readonly #row: Row;
  readonly #marks: NodeMarks;
  readonly #element: Pick<ReadElement, 'from' | 'to'>;
  #count = 0;

  constructor(row: Row, element: Pick<ReadElement, 'from' | 'to'>, marks: NodeMarks) {
    this.#row = row;
    this.#element = element;
    this.#marks = marks;
  }

  add(row: Uint32Array): boolean {
    const node = row[this.#element.from]!;
    this.rows++;
    if (node !== NO_ELEMENT && this.#marks.add(node)) this.#count++;
    return false;
  }

  take(isEnd: boolean): readonly Row[] {
    if (!isEnd || this.#count === 0) return [];
    return [extended(this.#row, this.#element.to, new SeveralNodes(this.#count))];
  }
}

/** Rows that follow each other with equal elements are one. */
export class WeightedRows implements SearchRows {
  rows = 0;
  readonly #parts: WeightedParts;
  readonly #last: Uint32Array;
  #weight = 0;
  #made: Row[] = [];

  constructor(parts: WeightedParts) {
    this.#parts = parts;
    this.#last = new Uint32Array(parts.elements.length);
  }

  add(row: Uint32Array, weight: number): boolean {
    const { elements, isOnce } = this.#parts;
    this.rows++;
    if (this.#weight > 0 && this.#isLast(row)) {
      if (!isOnce) this.#weight = countedRows(this.#weight + weight);
      return false;
    }
    this.#finish();
    for (let at = 0; at < elements.length; at++) this.#last[at] = row[elements[at]!.from]!;
    this.#weight = isOnce ? 1 : countedRows(weight);
    return false;
  }

  take(isEnd: boolean): readonly Row[] {
    if (isEnd) this.#finish();
    const made = this.#made;
    this.#made = [];
    return made;
  }

  #isLast(row: Uint32Array): boolean {
    const { elements } = this.#parts;
    for (let at = 0; at < elements.length; at++) if (row[elements[at]!.from] !== this.#last[at]) return false;
    return true;
  }

  #finish(): void {
    if (this.#weight === 0) return;
    const { row, elements, weightSlot } = this.#parts;
    const next: Value[] = row.slice();
    for (const [at, { to, isLink }] of elements.entries())
      next[to] = valueOf(this.#last[at] ?? NO_ELEMENT, isLink);
    next[weightSlot] = BigInt(this.#weight);
    this.#made.push(next);
    this.#weight = 0;
  }
}

function valueOf(element: number, isLink: boolean): Value {
  if (element === NO_ELEMENT) return null;
  return isLink ? new LinkValue(element) : new NodeValue(element);
}
