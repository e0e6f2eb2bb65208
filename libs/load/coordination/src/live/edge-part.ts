import type { SeenTransactions } from '#load/oracle';
import type { Tally } from '#load/protocol';

/** The counts reported by an edge. */
export interface EdgeCounts {
  readonly tally: Tally;
  /** Counts of the stages that are not excluded. */
  readonly measured: Tally;
}

/** The plan of one stage for an edge. */
export interface PlannedStage {
  readonly planned: number;
  readonly isExcluded: boolean;
}

/** The result of an edge's part in a run, including transactions that were never started. */
export interface EdgePart extends EdgeCounts {
  /** Planned transactions that the edge neither sent nor gave up; included in `notSent`. */
  readonly leftOut: number;
  /** The share of `leftOut` in stages that are not excluded. */
  readonly leftOutMeasured: number;
}

export interface PartEnd {
  /** The telemetry of an edge that was lost; null if it reported its end. */
  readonly lostSeen: SeenTransactions | null;
  /** The length of its schedule, by stage; null without a schedule. */
  readonly schedule: readonly PlannedStage[] | null;
}

/**
 * The final counts of an edge's part: no transaction is in flight, and scheduled transactions that were never
 * started count as not sent. Invariants, for all and for measured transactions: planned = sent + not sent,
 * sent = included + rejected + unknown.
 */
export function partOf(said: EdgeCounts, { lostSeen, schedule }: PartEnd): EdgePart {
  const counts = lostSeen === null ? said : settled(said, lostSeen, schedule);
  const planned = sumOf(schedule ?? []);
  const measured = sumOf((schedule ?? []).filter(({ isExcluded }) => !isExcluded));
  const leftOut = Math.max(0, planned - attempted(counts.tally));
  const leftOutMeasured = Math.max(0, measured - attempted(counts.measured));
  return {
    tally: leaveOut(counts.tally, leftOut),
    measured: leaveOut(counts.measured, leftOutMeasured),
    leftOut,
    leftOutMeasured,
  };
}

/** An edge works through its schedule in order, so its number of attempts determines their stages. */
function settled(
  said: EdgeCounts,
  seen: SeenTransactions,
  schedule: readonly PlannedStage[] | null,
): EdgeCounts {
  const tally = settle(said.tally, seen);
  const begun = schedule === null ? Infinity : measuredOf(schedule, attempted(tally));
  const { sent: saidSent, notSent } = said.measured;
  const sent = Math.max(saidSent, Math.min(saidSent + tally.sent - said.tally.sent, begun - notSent));
  // Further outcomes belong to the measured transactions as far as there are that many.
  const more = sent - said.measured.included - said.measured.rejected;
  const newlyIncluded = Math.min(tally.included - said.tally.included, more);
  const newlyRejected = Math.min(tally.rejected - said.tally.rejected, more - newlyIncluded);
  const included = said.measured.included + newlyIncluded;
  const rejected = said.measured.rejected + newlyRejected;
  const newlyUnexpected = Math.min(tally.rejectedUnexpected - said.tally.rejectedUnexpected, newlyRejected);
  const rejectedUnexpected = said.measured.rejectedUnexpected + newlyUnexpected;
  const seenMeasured = { sent, notSent, included, rejected, rejectedUnexpected };
  return { tally, measured: settle(said.measured, seenMeasured) };
}

/**
 * An edge's telemetry may be newer than its last report, so the larger of each count is used, and at least as
 * many were sent as have an outcome. The outcome of the remaining transactions is unknown, and undecided.
 * They are no failures of the target, whose answers were lost with the edge; those that the edge had given up
 * before are.
 */
function settle(tally: Tally, seen: SeenTransactions): Tally {
  const included = Math.max(tally.included, seen.included);
  const rejected = Math.max(tally.rejected, seen.rejected);
  const sent = Math.max(tally.sent, seen.sent, included + rejected);
  const notSent = Math.max(tally.notSent, seen.notSent);
  const unknown = sent - included - rejected;
  const rejectedUnexpected = Math.max(tally.rejectedUnexpected, seen.rejectedUnexpected);
  return {
    ...tally,
    planned: sent + notSent,
    sent,
    notSent,
    included,
    rejected,
    unknown,
    inFlight: 0,
    rejectedUnexpected,
    ackedUndecided: Math.max(0, unknown - tally.ackedLost - tally.edgeStarved),
    failedUnexpected: rejectedUnexpected + Math.min(unknown, tally.unknown) + tally.reverted,
  };
}

function leaveOut(tally: Tally, count: number): Tally {
  return { ...tally, planned: tally.planned + count, notSent: tally.notSent + count };
}

function attempted({ sent, notSent }: Tally): number {
  return sent + notSent;
}

/** The number of measured transactions among the first `count` of a schedule. */
function measuredOf(schedule: readonly PlannedStage[], count: number): number {
  let left = count;
  let measured = 0;
  for (const { planned, isExcluded } of schedule) {
    const taken = Math.min(left, planned);
    left -= taken;
    if (!isExcluded) measured += taken;
  }
  return measured;
}

function sumOf(stages: readonly PlannedStage[]): number {
  return stages.reduce((sum, { planned }) => sum + planned, 0);
}
