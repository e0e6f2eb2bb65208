/** Steps of a match: single relationships, paths of any length. */
import type { Row, Run } from '../graph/run.ts';
import type { Rows } from '../expression/subqueries.ts';
import type { LinkDirection } from '../syntax/ast.ts';
import { equal } from '../value/equality.ts';
import { isList, LinkValue, NodeValue, type Value } from '../value/value.ts';
import { flatMapped, type Stage } from '../stage/stage.ts';

export interface ExpandStep {
  readonly from: number;
  /** Slot of the node at the other end. */
  readonly to: number;
  readonly isToBound: boolean;
  readonly link: number;
  readonly isLinkBound: boolean;
  readonly direction: LinkDirection;
  readonly types: readonly string[] | '*';
  /** Slots of relationships of the same MATCH, which must all differ. */
  readonly others: readonly number[];
}

/** A stage that follows one relationship, from the node that has fewer of them where both are known. */
export function expanded(step: ExpandStep): Stage {
  const turned = { ...step, from: step.to, to: step.from, direction: REVERSED[step.direction] };
  return flatMapped(function* (row, run) {
    const each = step.isToBound && isShorter(turned, step, row, run) ? turned : step;
    const start = row[each.from] ?? null;
    if (!(start instanceof NodeValue)) return;
    const { links, nodes } = run.graph.expand(start.node, each.direction, each.types);
    for (const [index, link] of links.entries()) {
      if (run.isPauseDue()) yield undefined;
      const next = withLink(each, row, { link, end: nodes[index] ?? 0 });
      if (next !== undefined) yield next;
    }
  });
}

export const REVERSED: Readonly<Record<LinkDirection, LinkDirection>> = { out: 'in', in: 'out', any: 'any' };

function isShorter(step: ExpandStep, than: ExpandStep, row: Row, run: Run): boolean {
  return degreeOf(step, row, run) < degreeOf(than, row, run);
}

function degreeOf({ from, direction, types }: ExpandStep, row: Row, { graph }: Run): number {
  const start = row[from];
  return start instanceof NodeValue ? graph.degree(start.node, direction, types) : 0;
}

/** The row with the relationship and its end; undefined where other values stand there. */
function withLink(step: ExpandStep, row: Row, { link, end }: { link: number; end: number }): Row | undefined {
  if (step.isToBound && !isNode(row[step.to], end)) return undefined;
  if (step.isLinkBound && !isLink(row[step.link], link)) return undefined;
  if (isUsed(row, step.others, link)) return undefined;
  const next = row.slice();
  if (!step.isLinkBound) next[step.link] = new LinkValue(link);
  if (!step.isToBound) next[step.to] = new NodeValue(end);
  return next;
}

export interface TrailStep extends ExpandStep {
  readonly min: number;
  readonly max: number;
  /** Whether the list of relationships runs from the far end of the pattern to the near one. */
  readonly isReversed: boolean;
  readonly passes: (value: Value, row: Row, run: Run) => boolean;
}

/** Paths of `min` to `max` relationships, none of which occurs twice; depth first. */
export function trailed(step: TrailStep): Stage {
  return flatMapped(function* (row, run): Rows {
    const start = row[step.from] ?? null;
    if (!(start instanceof NodeValue)) return;
    const walk = new TrailWalk(step, row, run);
    if (step.min === 0) yield walk.rowAt(start.node);
    if (step.max === 0) return;
    walk.enter(start.node);
    while (walk.isOpen) {
      if (run.isPauseDue()) yield undefined;
      const found = walk.next();
      if (found !== undefined) yield found;
    }
  });
}

/** A place in a trail, with the relationships that are left to try there. */
interface Level {
  readonly links: readonly number[];
  readonly nodes: readonly number[];
  next: number;
}

class TrailWalk {
  readonly #step: TrailStep;
  readonly #row: Row;
  readonly #run: Run;
  readonly #trail: number[] = [];
  readonly #levels: Level[] = [];

  constructor(step: TrailStep, row: Row, run: Run) {
    this.#step = step;
    this.#row = row;
    this.#run = run;
  }

  get isOpen(): boolean {
    return this.#levels.length > 0;
  }

  /** Goes on from a node. */
  enter(node: number): void {
    const { direction, types } = this.#step;
    this.#levels.push({ ...this.#run.graph.expand(node, direction, types), next: 0 });
  }

  /** Tries one more relationship; the row of the trail with it, if that is one. */
  next(): Row | undefined {
    const level = this.#levels.at(-1);
    const link = level?.links[level.next];
    if (level === undefined || link === undefined) {
      this.#levels.pop();
      this.#trail.pop();
      return undefined;
    }
    const end = level.nodes[level.next++] ?? 0;
    if (!this.#mayTake(link)) return undefined;
    this.#trail.push(link);
    const { min, max } = this.#step;
    const found = this.#trail.length >= min ? this.rowAt(end) : undefined;
    if (this.#trail.length < max) this.enter(end);
    else this.#trail.pop();
    return found;
  }

  #mayTake(link: number): boolean {
    if (this.#trail.includes(link) || isUsed(this.#row, this.#step.others, link)) return false;
    return this.#step.passes(new LinkValue(link), this.#row, this.#run);
  }

  /** The row of the trail so far, which ends at a node; undefined where other values stand there. */
  rowAt(end: number): Row | undefined {
    const { isToBound, isLinkBound, isReversed, to, link } = this.#step;
    if (isToBound && !isNode(this.#row[to], end)) return undefined;
    const links = this.#trail.map((each) => new LinkValue(each));
    const list: Value = isReversed ? links.reverse() : links;
    if (isLinkBound && equal(this.#row[link] ?? null, list) !== true) return undefined;
    const next = this.#row.slice();
    next[link] = list;
    if (!isToBound) next[to] = new NodeValue(end);
    return next;
  }
}

function isNode(value: Value | undefined, node: number): boolean {
  return value instanceof NodeValue && value.node === node;
}

function isLink(value: Value | undefined, link: number): boolean {
  return value instanceof LinkValue && value.link === link;
}

/** Whether another relationship of the pattern is this one. */
export function isUsed(row: Row, slots: readonly number[], link: number): boolean {
  return slots.some((slot) => {
    const value = row[slot];
    return isList(value) ? value.some((each) => isLink(each, link)) : isLink(value, link);
  });
}
