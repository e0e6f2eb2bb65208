import type { SyncMode } from '../request/requests.ts';

/** On whose behalf, and when, a plan is made. */
export interface PlanContext {
  readonly connectorId: string;
  readonly syncId: string;
  readonly nowMs: number;
  /** Whether properties are replaced (`diff`) or merged (`patch`). */
  readonly mode: SyncMode;
  /** The sequence number that the plan will have. */
  readonly order: number;
  /** The source's new priority; undefined leaves it as it is. */
  readonly priority?: number | undefined;
}
