import type { EdgeProgress, RateApplied } from '#load/protocol';
import type { RunFinding, RunRateChange } from '#load/report';
import type { RateChange } from '#load/worker';
import { countedText } from '#platform/foundation';
import type { RunMember } from '../record/run-state.ts';

const US_PER_MS = 1_000;

/**
 * The changes of the whole run's rate that hold on an edge: those that it has applied, from its own time on.
 * An edge that ended without a report counts with the others as ordered: they were its plan.
 */
export function changesOn(
  ordered: readonly RateChange[],
  { rates = [] }: Pick<EdgeProgress, 'rates'>,
  isLost: boolean,
): readonly RateChange[] {
  return ordered.flatMap(({ atMs, rate }, index) => {
    const applied = rates.find(({ number }) => number === index + 1)?.atMs;
    // An edge cannot apply an order before its time.
    if (applied !== undefined && Number.isFinite(applied)) return [{ atMs: Math.max(atMs, applied), rate }];
    return isLost ? [{ atMs, rate }] : [];
  });
}

/** The changes of a record, and what each edge has applied of them. */
export function ratesIn(
  records: readonly RunRateChange[],
  startedAtUs: number | null,
): { readonly rates: readonly RateChange[]; readonly appliedBy: (edgeId: string) => readonly RateApplied[] } {
  const msOf = (us: number): number => (us - (startedAtUs ?? 0)) / US_PER_MS;
  return {
    rates: records.map(({ at_us: atUs, rate }) => ({ atMs: msOf(atUs), rate })),
    appliedBy: (edgeId) =>
      records.flatMap(({ edges }, index) =>
        edges
          .filter(({ edge_id: id }) => id === edgeId)
          .map(({ at_us: atUs }) => ({ number: index + 1, atMs: msOf(atUs) })),
      ),
  };
}

/** Edges that ended in good order without having applied every change. */
export function rateFindings(
  members: readonly RunMember[],
  ordered: readonly RateChange[],
  progressOf: (edgeId: string) => EdgeProgress | undefined,
): readonly RunFinding[] {
  if (ordered.length === 0) return [];
  return members.flatMap(({ edgeId, end }) => {
    const missing = ordered.length - (progressOf(edgeId)?.rates?.length ?? 0);
    if (end !== 'done' || missing <= 0) return [];
    const message =
      `did not apply ${missing} of ${countedText(ordered.length, 'change')} of the rate: its load had ended, or its version ` +
      'does not know the order';
    return [{ code: 'rate_not_applied', edge_id: edgeId, message }];
  });
}
