/** Numbers of links of nodes, by where their other ends are. *Hot path* of counts in queries. */
import type { NodeRange } from '#graph/model';
import type { Side } from './base-sides.ts';
import type { SegmentRun } from './side-rows.ts';

/** What is counted for each node. */
interface CountedRun extends SegmentRun {
  readonly counts: Uint32Array;
}

interface CountedEnds {
  readonly ends: NodeRange;
  /** Undefined: no link is hidden. */
  readonly isHidden: ((link: number) => boolean) | undefined;
}

/** The range of the ends of a side's links that have been looked at: those before `next`. */
interface Span {
  start: number;
  end: number;
  next: number;
}

/** Links of a verb mostly lead to nodes of one type, which are consecutive. A base does not change. */
const spans = new WeakMap<Side, Span>();
/** Looked at in one call, so that a large base does not keep others waiting. */
const LINKS_PER_LOOK = 262_144;

/** Adds to `counts` the links of the nodes that lead into the range. */
export function countRowEnds(side: Side, run: CountedRun, { ends, isHidden }: CountedEnds): void {
  if (isHidden === undefined && !side.skipsSelf && leadsInto(side, ends)) addDegrees(side, run);
  else addEnds(side, run, { ends, isHidden });
}

function addDegrees({ offsets }: Side, { start, nodes, counts }: CountedRun): void {
  for (let at = 0; at < nodes.length; at++) {
    const row = nodes[at]! - start;
    counts[at]! += offsets[row + 1]! - offsets[row]!;
  }
}

function addEnds(side: Side, run: CountedRun, { ends, isHidden }: CountedEnds): void {
  const { offsets, nodes: others, links, skipsSelf } = side;
  for (let index = 0; index < run.nodes.length; index++) {
    const node = run.nodes[index]!;
    const end = offsets[node - run.start + 1]!;
    for (let at = offsets[node - run.start]!; at < end; at++) {
      const other = others[at]!;
      if (other < ends.start || other >= ends.end || (skipsSelf && other === node)) continue;
      if (isHidden?.(links === undefined ? at : links[at]!) !== true) run.counts[index]!++;
    }
  }
}

/** Whether all links of the side are known to lead into the range. */
function leadsInto(side: Side, ends: NodeRange): boolean {
  const { offsets, nodes } = side;
  const last = offsets.at(-1) ?? 0;
  let span = spans.get(side);
  if (span === undefined) spans.set(side, (span = { start: Infinity, end: 0, next: offsets[0] ?? 0 }));
  for (const until = Math.min(last, span.next + LINKS_PER_LOOK); span.next < until; span.next++) {
    span.start = Math.min(span.start, nodes[span.next]!);
    span.end = Math.max(span.end, nodes[span.next]! + 1);
  }
  return span.next === last && span.start >= ends.start && span.end <= ends.end;
}
