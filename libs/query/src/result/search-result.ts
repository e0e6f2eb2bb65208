import type { BlastRadius } from '../execute/blast-search.ts';
import type { GraphReader } from '../graph-reader.port.ts';
import { compareText } from '../value/value-order.ts';
import type { Found } from './find-result.ts';
import type { FoundPath, ImpactedEntity } from './query-result.ts';

const NO_NODES = new Uint32Array(0);

export function pathResult(path: FoundPath | undefined): Found {
  const paths = path === undefined ? [] : [path];
  return {
    kind: 'paths',
    bytes: (path?.nodes.byteLength ?? 0) * 2,
    count: paths.length,
    length: paths.length,
    page: (offset, limit) => {
      const shown = paths.slice(offset, offset + limit);
      return { entities: shown[0]?.nodes ?? NO_NODES, paths: shown };
    },
  };
}

/** LIMIT cuts the list of entities; the counts by class are of the whole radius. */
export function blastResult(
  reader: GraphReader,
  { nodes, via, levelEnds }: BlastRadius,
  limit: number,
): Found {
  const count = Math.min(nodes.length, limit);
  let byClass: readonly (readonly [string, number])[] | undefined;
  return {
    kind: 'impacted',
    bytes: nodes.buffer.byteLength + via.buffer.byteLength,
    count,
    length: count,
    impactedByClass: () => (byClass ??= countByClass(reader, nodes)),
    page: (offset, pageLimit) => {
      const end = Math.min(count, offset + pageLimit);
      const impacted: ImpactedEntity[] = [];
      for (let at = offset; at < end; at++) {
        const depth = levelEnds.findIndex((levelEnd) => at < levelEnd) + 1;
        impacted.push({ node: nodes[at] ?? 0, depth, via: via[at] ?? 0 });
      }
      return { entities: nodes.subarray(offset, end), impacted };
    },
  };
}

function countByClass(reader: GraphReader, nodes: Uint32Array): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const name = String(reader.nodeField(node, 'class'));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => compareText(a, b));
}
