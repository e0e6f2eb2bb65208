import type { SyncMode } from '../ingest/requests.ts';

/** On whose behalf, and when, a plan is made. */
export interface PlanContext {
  readonly connectorId: string;
  readonly syncId: string;
  readonly nowMs: number;
  /** Whether properties are replaced (`diff`) or merged (`patch`). */
  readonly mode: SyncMode;
}
