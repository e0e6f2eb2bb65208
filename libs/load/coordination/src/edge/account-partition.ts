import { shareOfTotal } from '#load/scenario';
import { assert } from '#platform/foundation';

/** The accounts of one edge: from `first` up to, but not including, `first + count`. */
export interface AccountPartition {
  readonly edgeId: string;
  readonly first: number;
  readonly count: number;
}

/**
 * Divides `total` accounts among the edges, in their order: contiguous, disjoint and complete partitions
 * whose sizes differ by at most one. With more edges than accounts, the last edges have empty partitions.
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
 * Two edges that share an account would send the same nonces. Checked before each start, independent of the
 * origin of the partitions.
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
