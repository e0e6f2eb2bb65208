/** The counts at the end of the cluster demo, and whether they meet the guarantees. */
import type { ClusterLoad } from '../../libs/graph/testing/src/cluster/cluster-load.ts';
import type { NodeUnderTest } from '../../libs/graph/testing/src/cluster/cluster-under-test.ts';

export interface Counts {
  readonly acknowledged: number;
  /** Acknowledged writes found on each node, by its name; undefined when it could not be queried. */
  readonly found: ReadonlyMap<string, number | undefined>;
  /** Acknowledged writes missing on some node; undefined when a node could not be queried. */
  readonly lost: number | undefined;
  readonly reads: number;
  readonly torn: number;
  readonly behind: number;
  /** Unexpected answers, as received. */
  readonly unexpected: readonly string[];
  /** Repeated requests: after 503, and after no answer. */
  readonly refused: number;
  readonly unanswered: number;
}

/** Looks up all acknowledged writes on each node, after the end of the load. */
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

/** The violated or unverified guarantees; empty when all held. */
export function faultsOf(counts: Counts): readonly string[] {
  const { acknowledged, reads, lost, torn, behind, unexpected } = counts;
  return [
    ...(acknowledged === 0 ? ['no write was acknowledged'] : []),
    ...(reads === 0 ? ['no read was checked'] : []),
    ...(lost === undefined ? ['not every node could be queried for the acknowledged writes'] : []),
    ...(lost === undefined || lost === 0 ? [] : [`${grouped(lost)} acknowledged writes are lost`]),
    ...(torn === 0 ? [] : [`${grouped(torn)} torn versions were seen`]),
    ...(behind === 0 ? [] : [`${grouped(behind)} reads were behind their token`]),
    ...(unexpected.length === 0 ? [] : [`an unexpected response: ${unexpected[0] ?? ''}`]),
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
    ['retried after 503', refused],
    ['retried after no response', unanswered],
  ];
  return rows.map(([title, count]) => {
    const figure = count === undefined ? 'unknown' : grouped(count);
    return `  ${title.padEnd(30)}${figure.padStart(9)}`;
  });
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
