import type { BlastRadius } from './blast-search.ts';
import type { Found } from './find-result.ts';
import type { FoundPath, ImpactedEntity } from '../result/query-result.ts';

const NO_NODES = new Uint32Array(0);

export function pathResult(path: FoundPath | undefined): Found {
  const paths = path === undefined ? [] : [path];
  return {
    kind: 'paths',
    bytes: (path?.nodes.byteLength ?? 0) * 2,
    count: paths.length,
    length: paths.length,
    entities: (offset, limit) => paths.slice(offset, offset + limit)[0]?.nodes ?? NO_NODES,
    items: (offset, limit) => ({ paths: paths.slice(offset, offset + limit) }),
  };
}

/** LIMIT cuts the list of entities; the counts by class are of the whole radius. */
export function blastResult(
  { nodes, via, levelEnds }: BlastRadius,
  byClass: readonly (readonly [string, number])[],
  limit: number,
): Found {
  const count = Math.min(nodes.length, limit);
  return {
    kind: 'impacted',
    bytes: nodes.buffer.byteLength + via.buffer.byteLength,
    count,
    length: count,
    impactedByClass: byClass,
    entities: (offset, pageLimit) => nodes.subarray(offset, Math.min(count, offset + pageLimit)),
    items: (offset, pageLimit) => {
      const end = Math.min(count, offset + pageLimit);
      const impacted: ImpactedEntity[] = [];
      for (let at = offset; at < end; at++) {
        const depth = levelEnds.findIndex((levelEnd) => at < levelEnd) + 1;
        impacted.push({ node: nodes[at] ?? 0, depth, via: via[at] ?? 0 });
      }
      return { impacted };
    },
  };
}
