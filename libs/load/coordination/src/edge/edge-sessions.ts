import type { ClockOffset, EdgeChannel, EdgeHeartbeat, EdgeRegistration } from '#load/protocol';
import type { Clock } from '#platform/foundation';
import type { EdgeRegistry } from './edge-registry.ts';

/** Time without contact after which a connected edge is stale. */
const STALE_MS = 6_000;

export type EdgeStatus = 'connected' | 'stale' | 'disconnected';

/** The volatile state of an edge: its channel, and its latest heartbeat and clock offset. */
export class EdgeSession {
  readonly #clock: Clock;
  #channel: EdgeChannel | undefined;
  #heardAtMs: number;
  #heardAtWallMs: number | undefined;
  heartbeat: EdgeHeartbeat | undefined;
  clockOffset: ClockOffset | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#heardAtMs = clock.monotonicMs();
  }

  /** Undefined while disconnected. */
  get channel(): EdgeChannel | undefined {
    return this.#channel;
  }

  open(channel: EdgeChannel): void {
    this.#channel?.close('the edge has another connection');
    this.#channel = channel;
    this.heard();
  }

  /** False if the edge already has a newer connection. */
  closed(channel: EdgeChannel): boolean {
    if (this.#channel !== channel) return false;
    this.#channel = undefined;
    return true;
  }

  evict(reason: string): void {
    this.#channel?.evict(reason);
    this.#channel = undefined;
  }

  heard(): void {
    this.#heardAtMs = this.#clock.monotonicMs();
    this.#heardAtWallMs = this.#clock.nowMs();
  }

  /** Time since the last contact, or since the session was created. */
  get silentMs(): number {
    return this.#clock.monotonicMs() - this.#heardAtMs;
  }

  /** The time of the last contact, in ms since 1970; undefined before the first contact with this process. */
  get heardAt(): number | undefined {
    return this.#heardAtWallMs;
  }

  get status(): EdgeStatus {
    if (this.#channel === undefined) return 'disconnected';
    return this.silentMs > STALE_MS ? 'stale' : 'connected';
  }
}

/** A registered edge with its session. */
export interface KnownEdge {
  readonly registration: EdgeRegistration;
  readonly session: EdgeSession;
}

/** The sessions of all registered edges. */
export class EdgeSessions {
  readonly registry: EdgeRegistry;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, EdgeSession>();

  constructor(registry: EdgeRegistry, clock: Clock) {
    this.registry = registry;
    this.#clock = clock;
  }

  of(edgeId: string): EdgeSession {
    const known = this.#sessions.get(edgeId);
    if (known !== undefined) return known;
    const session = new EdgeSession(this.#clock);
    this.#sessions.set(edgeId, session);
    return session;
  }

  /** Undefined while the edge is disconnected. */
  channel(edgeId: string): EdgeChannel | undefined {
    return this.#sessions.get(edgeId)?.channel;
  }

  evict(edgeId: string, reason: string): void {
    this.#sessions.get(edgeId)?.evict(reason);
    this.#sessions.delete(edgeId);
  }

  /** The known edges in the order of their registration. */
  list(): readonly KnownEdge[] {
    return this.registry
      .list()
      .map((registration) => ({ registration, session: this.of(registration.edgeId) }));
  }
}
