import type { RunRecord } from './run-record.ts';

const US_PER_MS = 1_000;

/** How many runs that have ended are kept, and for how long; 0 is without bound. */
export interface Retention {
  readonly keptMs: number;
  readonly runsMax: number;
}

/** Which of the runs that have ended go now. */
export function expiredRuns(
  ended: readonly RunRecord[],
  { keptMs, runsMax }: Retention,
  nowUs: number,
): readonly string[] {
  const latestFirst = ended.toSorted((a, b) => b.created_at_us - a.created_at_us);
  const oldestUs = keptMs === 0 ? -Infinity : nowUs - keptMs * US_PER_MS;
  return latestFirst
    .filter((run, at) => {
      const isSurplus = runsMax > 0 && at >= runsMax;
      return isSurplus || (run.ended_at_us ?? run.created_at_us) < oldestUs;
    })
    .map((run) => run.run_id);
}

/** The record of a run that nobody goes on with. */
export function givenUp(record: RunRecord, nowUs: number): RunRecord {
  const { state } = record;
  const reason = state.ending?.status === 'Failed' ? state.ending.reason : 'hive_restarted';
  const ending = { status: 'Failed', reason } as const;
  return {
    ...record,
    ...{ status: 'Failed', phase: null, reason },
    ended_at_us: record.ended_at_us ?? nowUs,
    state: { ...state, status: 'Failed', phase: null, ending },
  };
}
