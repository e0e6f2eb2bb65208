/** What the demo of a cluster counts at its end, and whether that is what is promised. */
import type { ClusterLoad } from '../../libs/graph/testing/src/cluster/cluster-load.ts';
import type { NodeUnderTest } from '../../libs/graph/testing/src/cluster/cluster-under-test.ts';

export interface Counts {
  readonly acknowledged: number;
  /** Acknowledged writes that a node has, by its name; undefined where it could not be asked. */
  readonly found: ReadonlyMap<string, number | undefined>;
  /** Acknowledged writes that some node lacks; undefined where one could not be asked. */
  readonly lost: number | undefined;
  readonly reads: number;
  readonly torn: number;
  readonly behind: number;
  /** Answers that are none of the promised ones, as they were seen. */
  readonly unexpected: readonly string[];
  /** Requests that were asked again: after 503, and after no answer. */
  readonly refused: number;
  readonly unanswered: number;
}

/** Asks each node for all that was acknowledged; the load has ended. */
export async function takeCounts(
  load: ClusterLoad,
  nodes: readonly NodeUnderTest[],
  signal: AbortSignal,
): Promise<Counts> {
  const missing = await Promise.all(nodes.map((node) => missingOn(load, node, signal)));
  const all = missing.map((keys) => (keys === undefined ? undefined : load.writes - keys.length));
  const seen = (kind: string): readonly string[] =>
    load.violations.filter((violation) => violation.kind === kind).map(({ text }) => text);
  return {
    acknowledged: load.writes,
    found: new Map(nodes.map(({ name }, at) => [name, all[at]])),
    lost: missing.includes(undefined) ? undefined : new Set(missing.flat()).size,
    reads: load.reads,
    torn: seen('torn').length,
    behind: seen('behind').length,
    unexpected: seen('unexpected'),
    refused: load.refused,
    unanswered: load.unanswered,
  };
}

async function missingOn(
  load: ClusterLoad,
  node: NodeUnderTest,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (!node.isRunning) return undefined;
  const keys: string[] = [];
  try {
    for (let round = 0; round <= load.round; round++) keys.push(...(await load.lost(node, round, signal)));
    return keys;
  } catch {
    return undefined;
  }
}

/** Why the promises were not seen to hold; empty where they were. */
export function faultsOf(counts: Counts): readonly string[] {
  const { acknowledged, reads, lost, torn, behind, unexpected } = counts;
  return [
    ...(acknowledged === 0 ? ['no write was acknowledged'] : []),
    ...(reads === 0 ? ['no read was checked'] : []),
    ...(lost === undefined ? ['not every node could be asked for what was acknowledged'] : []),
    ...(lost === undefined || lost === 0 ? [] : [`${grouped(lost)} acknowledged writes are lost`]),
    ...(torn === 0 ? [] : [`${grouped(torn)} torn versions were seen`]),
    ...(behind === 0 ? [] : [`${grouped(behind)} reads were behind their token`]),
    ...(unexpected.length === 0 ? [] : [`an answer that is not promised: ${unexpected[0] ?? ''}`]),
  ];
}

export function linesOf(counts: Counts): readonly string[] {
  const { acknowledged, found, lost, reads, torn, behind, refused, unanswered } = counts;
  const rows: [string, number | undefined][] = [
    ['writes acknowledged', acknowledged],
    ...[...found].map(([name, count]): [string, number | undefined] => [`  found on node ${name}`, count]),
    ['  lost', lost],
    ['reads checked', reads],
    ['  torn versions seen', torn],
    ['  behind their token', behind],
    ['asked again after 503', refused],
    ['asked again after no answer', unanswered],
  ];
  return rows.map(([title, count]) => {
    const figure = count === undefined ? 'unknown' : grouped(count);
    return `  ${title.padEnd(30)}${figure.padStart(9)}`;
  });
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
