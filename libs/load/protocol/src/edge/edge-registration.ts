import type { EdgeIdentity } from './edge-identity.ts';

/** An edge as the registry knows it. */
export interface EdgeRegistration extends EdgeIdentity {
  /** Higher with each registration of any edge; what comes with an earlier one is refused. */
  readonly fence: number;
  readonly registeredAtUs: number;
  /** Those that this one replaced, the latest last: they do not come back. */
  readonly formerInstances: readonly string[];
}

/** What an edge shows of its registration when it speaks. */
export interface EdgeCredential {
  readonly edgeId: string;
  readonly instanceId: string;
  readonly fence: number;
}
