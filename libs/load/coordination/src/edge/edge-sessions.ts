import type { ClockOffset, EdgeChannel, EdgeHeartbeat, EdgeRegistration } from '#load/protocol';
import type { Clock } from '#platform/foundation';
import type { EdgeRegistry } from './edge-registry.ts';

/** Without a heartbeat for so long an edge is stale. */
const STALE_MS = 6_000;

export type EdgeStatus = 'connected' | 'stale' | 'disconnected';

/** What is known of an edge while this process runs: how it is reached, and what it last said. */
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

  /** Undefined while it is not connected. */
  get channel(): EdgeChannel | undefined {
    return this.#channel;
  }

  open(channel: EdgeChannel): void {
    this.#channel?.close('the edge has another connection');
    this.#channel = channel;
    this.heard();
  }

  /** False when the edge has another connection by now. */
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

  /** Since it was last heard, or since this process knows of it. */
  get silentMs(): number {
    return this.#clock.monotonicMs() - this.#heardAtMs;
  }

  /** Milliseconds since 1970; undefined when this process never heard of it. */
  get heardAt(): number | undefined {
    return this.#heardAtWallMs;
  }

  get status(): EdgeStatus {
    if (this.#channel === undefined) return 'disconnected';
    return this.silentMs > STALE_MS ? 'stale' : 'connected';
  }
}

/** An edge as others see it. */
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
    return this.registry
      .list()
      .map((registration) => ({ registration, session: this.of(registration.edgeId) }));
  }
}
