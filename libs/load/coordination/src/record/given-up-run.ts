import type { RunRecord } from './run-record.ts';

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
