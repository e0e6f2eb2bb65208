import type { RunReport, RunStatus } from './connector-run.ts';

/** A run by its name, in the words of REST. Times are RFC 3339 UTC with milliseconds. */
export interface RunRecord extends Omit<RunReport, 'status'> {
  /** The sync's id too. */
  readonly run_id: string;
  readonly connector_id: string;
  readonly started_at: string;
  /** Of an interrupted run, when that was found. */
  readonly ended_at: string | null;
  /** `interrupted`: the process ended before the run did. */
  readonly status: RunStatus | 'interrupted';
}
