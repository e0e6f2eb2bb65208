import type { SyncMode } from '../request/requests.ts';

/** The source and time of a plan. */
export interface PlanContext {
  readonly connectorId: string;
  readonly syncId: string;
  readonly nowMs: number;
  /** Whether properties are replaced (`diff`) or merged (`patch`). */
  readonly mode: SyncMode;
  /**
   * Whether its patches override what other sources state, whatever their priority: a value hides theirs,
   * null says that there is none. An override does not own a record, and ends with it.
   */
  readonly overrides?: boolean;
  /** The future sequence number of the plan. */
  readonly order: number;
  /** The source's new priority; undefined keeps the old one. */
  readonly priority?: number | undefined;
}
