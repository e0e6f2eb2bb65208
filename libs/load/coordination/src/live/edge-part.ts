import type { Tally } from '#load/protocol';

/** What the telemetry of an edge tells of its transactions, as far as it has come. */
export interface EdgeTransactions {
  readonly sent: number;
  readonly notSent: number;
  readonly included: number;
  readonly rejected: number;
}

/** Of an edge, or of its measured stages. */
export interface EdgeCounts {
  readonly tally: Tally;
  /** Of the stages that are not excluded. */
  readonly measured: Tally;
}

/** How one stage was planned for an edge. */
export interface PlannedStage {
  readonly planned: number;
  readonly isExcluded: boolean;
}

/** What an edge's part in a run came to, and what of it nobody began. */
export interface EdgePart extends EdgeCounts {
  /** Planned, and neither sent nor given up by the edge; it counts as not sent. */
  readonly leftOut: number;
  /** Of that in stages that are not excluded. */
  readonly leftOutMeasured: number;
}

export interface PartEnd {
  /** It did not live to say the last word; null where it did. */
  readonly lostSeen: EdgeTransactions | null;
  /** The length of its schedule, by stage; null where there is none. */
  readonly schedule: readonly PlannedStage[] | null;
}

/**
 * The last account of an edge's part: nothing is in flight any more, and what its schedule asks for and
 * nobody began is not sent. Holds afterwards, of all and of what is measured: planned = sent + not sent,
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
    ...{ leftOut, leftOutMeasured },
  };
}

/** An edge takes what is planned in order, so that it is known to which stages what it began belongs. */
function settled(
  said: EdgeCounts,
  seen: EdgeTransactions,
  schedule: readonly PlannedStage[] | null,
): EdgeCounts {
  const tally = settle(said.tally, seen);
  const begun = schedule === null ? Infinity : measuredOf(schedule, attempted(tally));
  const { sent: saidSent, notSent } = said.measured;
  const sent = Math.max(saidSent, Math.min(saidSent + tally.sent - said.tally.sent, begun - notSent));
  const included = Math.min(said.measured.included + tally.included - said.tally.included, sent);
  const rejected = said.measured.rejected + tally.rejected - said.tally.rejected;
  return { tally, measured: settle(said.measured, { sent, notSent, included, rejected }) };
}

/**
 * What an edge had handed over may be later than what it had said, so that the larger count is taken; what
 * neither tells is unknown. Whether a late rejection was expected is not known, so that it counts.
 */
function settle(tally: Tally, seen: EdgeTransactions): Tally {
  const included = Math.max(tally.included, seen.included);
  const sent = Math.max(tally.sent, seen.sent, included);
  const rejected = Math.min(Math.max(tally.rejected, seen.rejected), sent - included);
  const notSent = Math.max(tally.notSent, seen.notSent);
  const unknown = sent - included - rejected;
  const rejectedUnexpected = tally.rejectedUnexpected + Math.max(0, rejected - tally.rejected);
  return {
    ...tally,
    ...{ planned: sent + notSent, sent, notSent, included, rejected, unknown, inFlight: 0 },
    rejectedUnexpected,
    failedUnexpected: rejectedUnexpected + unknown + tally.reverted,
  };
}

function leaveOut(tally: Tally, count: number): Tally {
  return { ...tally, planned: tally.planned + count, notSent: tally.notSent + count };
}

function attempted({ sent, notSent }: Tally): number {
  return sent + notSent;
}

/** How many of the first so many of a schedule are in stages that are not excluded. */
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
