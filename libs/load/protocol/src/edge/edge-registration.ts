import type { HelloWire, RegisterRequestWire } from '../proto/hive-messages.ts';

/** Who an edge says it is when it registers. */
export type EdgeIdentity = RegisterRequestWire;

/** An edge as the registry knows it. */
export interface EdgeRegistration extends EdgeIdentity {
  /** Higher with each registration of any edge; what comes with an earlier one is refused. */
  readonly fence: number;
  readonly registeredAtUs: number;
  /** Those that this one replaced, the latest last: they do not come back. */
  readonly formerInstances: readonly string[];
}

/** What an edge shows of its registration when it speaks. */
export type EdgeCredential = HelloWire;
