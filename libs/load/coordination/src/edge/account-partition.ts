import { shareOfTotal } from '#load/scenario';
import { assert } from '#platform/foundation';

/** The accounts of one edge: from `first` up to, but not including, `first + count`. */
export interface AccountPartition {
  readonly edgeId: string;
  readonly first: number;
  readonly count: number;
}

/**
 * Shares `total` accounts out, in the order of the edges: contiguous and disjoint, none left over, sizes that
 * differ by one at most. With more edges than accounts the last ones get none.
 */
export function partitionAccounts(edgeIds: readonly string[], total: number): readonly AccountPartition[] {
  let first = 0;
  return edgeIds.map((edgeId, index) => {
    const count = shareOfTotal(total, index, edgeIds.length);
    first += count;
    return { edgeId, first: first - count, count };
  });
}

/**
 * Two edges that share an account would send with the same nonces. Looked at once more before each start,
 * however the partitions came about.
 */
export function assertDisjoint(partitions: readonly AccountPartition[], total: number): void {
  const sorted = partitions.filter(({ count }) => count > 0).toSorted((a, b) => a.first - b.first);
  let end = 0;
  for (const { edgeId, first, count } of sorted) {
    assert(first >= end, `the accounts of ${edgeId} begin at ${first}, before another edge's end at ${end}`);
    end = first + count;
  }
  assert(end <= total, `the accounts end at ${end}, of ${total}`);
}
