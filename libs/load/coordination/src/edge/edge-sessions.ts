import type { EdgeChannel } from '#load/protocol';
import type { Clock } from '#platform/foundation';
import type { EdgeRegistry } from './edge-registry.ts';
import { EdgeSession, type KnownEdge } from './edge-session.ts';

/** The sessions of all registered edges. */
export class EdgeSessions {
  readonly #registry: EdgeRegistry;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, EdgeSession>();

  constructor(registry: EdgeRegistry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  of(edgeId: string): EdgeSession {
    const known = this.#sessions.get(edgeId);
    if (known !== undefined) return known;
    const session = new EdgeSession(this.#clock);
    this.#sessions.set(edgeId, session);
    return session;
  }

  /** Undefined while the edge is not connected. */
  channel(edgeId: string): EdgeChannel | undefined {
    return this.#sessions.get(edgeId)?.channel;
  }

  evict(edgeId: string, reason: string): void {
    this.#sessions.get(edgeId)?.evict(reason);
    this.#sessions.delete(edgeId);
  }

  /** In the order of their registration. */
  list(): readonly KnownEdge[] {
    return this.#registry
      .list()
      .map((registration) => ({ registration, session: this.of(registration.edgeId) }));
  }
}
