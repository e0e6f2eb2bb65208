/** Steps of a match: scans of nodes, single relationships, paths of any length. */
import type { Row, Run } from '../expression/run.ts';
import type { Rows } from '../expression/subqueries.ts';
import type { LinkDirection } from '../syntax/ast.ts';
import { equal } from '../value/equality.ts';
import { isList, LinkValue, NodeValue, type Value } from '../value/value.ts';
import { flatMapped, pausing, ROWS_PER_PAUSE, type Stage } from '../stage/stage.ts';
import type { KnownValue } from './conditions.ts';

export interface ScanStep {
  readonly slot: number;
  readonly labels: readonly string[];
  readonly knownValues: readonly KnownValue[];
}

export function scanned({ slot, labels, knownValues }: ScanStep): Stage {
  return flatMapped(function* (row, run) {
    const equals = knownValues.map(({ key, value }) => [key, value(row, run)] as const);
    if (equals.some(([, value]) => value === null)) return;
    const scan = run.graph.scan({ labels, equals: equals.filter(([, value]) => typeof value !== 'object') });
    for (const node of yield* pausing(scan)) yield withValue(row, slot, new NodeValue(node));
  });
}

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

/** One relationship. */
export function expanded(step: ExpandStep): Stage {
  return flatMapped(function* (row, run) {
    const start = row[step.from] ?? null;
    if (!(start instanceof NodeValue)) return;
    const { links, nodes } = run.graph.expand(start.node, step.direction, step.types);
    for (const [index, link] of links.entries()) {
      if (index % ROWS_PER_PAUSE === ROWS_PER_PAUSE - 1) yield undefined;
      const end = nodes[index] ?? 0;
      if (step.isToBound && !isNode(row[step.to], end)) continue;
      if (step.isLinkBound && !isLink(row[step.link], link)) continue;
      if (isUsed(row, step.others, link)) continue;
      const next = row.slice();
      if (!step.isLinkBound) next[step.link] = new LinkValue(link);
      if (!step.isToBound) next[step.to] = new NodeValue(end);
      yield next;
    }
  });
}

export interface TrailStep extends ExpandStep {
  readonly min: number;
  readonly max: number;
  /** Whether the list of relationships runs from the far end of the pattern to the near one. */
  readonly isReversed: boolean;
  readonly passes: (value: Value, row: Row, run: Run) => boolean;
}

/** A place in a trail, with the relationships that are left to try there. */
interface Level {
  readonly links: readonly number[];
  readonly nodes: readonly number[];
  next: number;
}

/** Paths of `min` to `max` relationships, none of which occurs twice; depth first. */
export function trailed(step: TrailStep): Stage {
  return flatMapped(function* (row, run): Rows {
    const start = row[step.from] ?? null;
    if (!(start instanceof NodeValue)) return;
    if (step.min === 0 && (!step.isToBound || isNode(row[step.to], start.node))) {
      yield trailRow(step, row, [], start.node);
    }
    if (step.max === 0) return;
    const known = step.isLinkBound ? row[step.link] : undefined;
    const trail: number[] = [];
    const levels: Level[] = [levelAt(step, run, start.node)];
    for (let tried = 1; levels.length > 0; tried++) {
      if (tried % ROWS_PER_PAUSE === 0) yield undefined;
      const level = levels[levels.length - 1];
      const link = level?.links[level.next];
      if (level === undefined || link === undefined) {
        levels.pop();
        trail.pop();
        continue;
      }
      const end = level.nodes[level.next++] ?? 0;
      if (trail.includes(link) || isUsed(row, step.others, link)) continue;
      if (!step.passes(new LinkValue(link), row, run)) continue;
      const length = trail.length + 1;
      if (length >= step.min && (!step.isToBound || isNode(row[step.to], end))) {
        const found = trailRow(step, row, [...trail, link], end);
        if (known === undefined || equal(known, found[step.link] ?? null) === true) yield found;
      }
      if (length >= step.max) continue;
      trail.push(link);
      levels.push(levelAt(step, run, end));
    }
  });
}

function levelAt({ direction, types }: TrailStep, { graph }: Run, node: number): Level {
  return { ...graph.expand(node, direction, types), next: 0 };
}

function trailRow(step: TrailStep, row: Row, trail: readonly number[], end: number): Row {
  const next = row.slice();
  const links = trail.map((link) => new LinkValue(link));
  next[step.link] = step.isReversed ? links.reverse() : links;
  if (!step.isToBound) next[step.to] = new NodeValue(end);
  return next;
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

function withValue(row: Row, slot: number, value: Value): Row {
  const next = row.slice();
  next[slot] = value;
  return next;
}
