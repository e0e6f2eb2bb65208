import { shareOfTotal } from '#load/scenario';
import { assert } from '#platform/foundation';

/** Accounts by number: from `first` up to, but not including, `first + count`. */
export interface AccountRange {
  readonly first: number;
  readonly count: number;
}

/** The accounts of one edge. */
export interface AccountPartition extends AccountRange {
  readonly edgeId: string;
}

/**
 * Divides the accounts of a run among its edges, in their order: contiguous, disjoint and complete partitions
 * whose sizes differ by at most one. With more edges than accounts, the last edges have empty partitions.
 */
export function partitionAccounts(
  edgeIds: readonly string[],
  { first: runFirst, count: total }: AccountRange,
): readonly AccountPartition[] {
  let first = runFirst;
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
export function assertDisjoint(partitions: readonly AccountPartition[], run: AccountRange): void {
  const sorted = partitions.filter(({ count }) => count > 0).toSorted((a, b) => a.first - b.first);
  let end = run.first;
  for (const { edgeId, first, count } of sorted) {
    assert(first >= end, `the accounts of ${edgeId} begin at ${first}, before ${end}, which is another's`);
    end = first + count;
  }
  const runEnd = run.first + run.count;
  assert(end <= runEnd, `the accounts end at ${end}, those of the run at ${runEnd}`);
}
