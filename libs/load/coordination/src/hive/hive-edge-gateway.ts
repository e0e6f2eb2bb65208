import { Injectable } from '@nestjs/common';
import {
  type ClockOffset,
  type EdgeAnswer,
  type EdgeChannel,
  type EdgeCredential,
  EdgeGateway,
  type EdgeHeartbeat,
  type EdgeIdentity,
  type EdgeListener,
  type EdgeProgress,
  type EdgeRefusal,
  type EdgeRegistration,
  type ReceivedBatch,
} from '#load/protocol';
import { VERSION } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { EdgeRegistry } from '../edge/edge-registry.ts';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import type { RunDirector } from '../run/run-director.ts';

/** Batches under way, of all edges together. */
const CREDIT = 256;
const CREDIT_MIN = 2;
const CREDIT_MAX = 16;

export interface HiveEdgeGatewayParts {
  readonly registry: EdgeRegistry;
  readonly sessions: EdgeSessions;
  readonly runs: RunDirector;
  readonly heartbeatMs: number;
  readonly log: Log;
}

/** Takes what edges say to the registry, to their sessions and to the run. */
@Injectable()
export class HiveEdgeGateway extends EdgeGateway {
  override readonly version = VERSION;
  override readonly heartbeatIntervalMs: number;
  readonly #registry: EdgeRegistry;
  readonly #sessions: EdgeSessions;
  readonly #runs: RunDirector;
  readonly #log: Log;

  constructor({ registry, sessions, runs, heartbeatMs, log }: HiveEdgeGatewayParts) {
    super();
    this.heartbeatIntervalMs = heartbeatMs;
    this.#registry = registry;
    this.#sessions = sessions;
    this.#runs = runs;
    this.#log = log;
  }

  override get batchCredit(): number {
    const share = Math.floor(CREDIT / Math.max(1, this.#registry.list().length));
    return Math.min(CREDIT_MAX, Math.max(CREDIT_MIN, share));
  }

  override async register(identity: EdgeIdentity): Promise<EdgeRegistration> {
    const { edgeId, instanceId } = identity;
    const before = this.#registry.get(edgeId);
    const registration = await this.#registry.register(identity);
    if (before !== undefined && before.instanceId !== instanceId) {
      this.#sessions.evict(edgeId, 'an edge with this id was registered after it');
    }
    this.#sessions.of(edgeId).heard();
    this.#log.info({ event: 'edge.registered', edge_id: edgeId, instance_id: instanceId }, 'registered edge');
    this.#runs.happened({ type: 'edge_registered', edgeId, instanceId });
    return registration;
  }

  override async deregister(credential: EdgeCredential): Promise<void> {
    this.#registry.admit(credential);
    await this.remove(credential.edgeId, 'it deregistered');
  }

  /** False when no such edge is registered. */
  async remove(edgeId: string, reason: string): Promise<boolean> {
    if (!(await this.#registry.remove(edgeId))) return false;
    this.#sessions.evict(edgeId, reason);
    this.#log.info({ event: 'edge.removed', edge_id: edgeId, reason }, 'removed edge');
    this.#runs.happened({ type: 'edge_removed', edgeId });
    return true;
  }

  override refused({ edgeId, peer, error }: EdgeRefusal): void {
    const { code, message: reason } = error;
    this.#log.warn(
      { event: 'edge.refused', edge_id: shownId(edgeId), peer, code, reason },
      'refused an edge',
    );
  }

  override admit(credential: EdgeCredential): EdgeRegistration {
    return this.#registry.admit(credential);
  }

  override connect(registration: EdgeRegistration, channel: EdgeChannel): EdgeListener {
    const { edgeId, instanceId } = registration;
    const session = this.#sessions.of(edgeId);
    session.open(channel);
    this.#log.debug({ event: 'edge.connected', edge_id: edgeId }, 'edge is connected');
    this.#runs.happened({ type: 'edge_connected', edgeId, instanceId });
    return new SessionListener(registration, this.#runs, {
      heard: () => session.heard(),
      heartbeat: (heartbeat) => (session.heartbeat = heartbeat),
      clock: (offset) => (session.clockOffset = offset),
      closed: () => {
        if (session.closed(channel))
          this.#log.info({ event: 'edge.disconnected', edge_id: edgeId }, 'lost edge');
      },
    });
  }

  override receiveBatch({ edgeId, instanceId }: EdgeRegistration, batch: ReceivedBatch): Promise<void> {
    return this.#runs.take({ edgeId, instanceId }, batch);
  }
}

/** Whatever was sent as its name, in a line of a log. */
function shownId(edgeId: string): string {
  return edgeId.slice(0, 64).replace(/[^\x20-\x7e]/g, '?');
}

interface SessionEvents {
  heard(): void;
  heartbeat(heartbeat: EdgeHeartbeat): void;
  clock(offset: ClockOffset): void;
  closed(): void;
}

class SessionListener implements EdgeListener {
  readonly #edge: EdgeRegistration;
  readonly #runs: RunDirector;
  readonly #session: SessionEvents;

  constructor(edge: EdgeRegistration, runs: RunDirector, session: SessionEvents) {
    this.#edge = edge;
    this.#runs = runs;
    this.#session = session;
  }

  heartbeat(heartbeat: EdgeHeartbeat): void {
    this.#session.heard();
    this.#session.heartbeat(heartbeat);
  }

  acked(answer: EdgeAnswer): void {
    this.#session.heard();
    this.#runs.answered(this.#edge.edgeId, answer, undefined);
  }

  nacked(answer: EdgeAnswer, code: string, reason: string): void {
    this.#session.heard();
    this.#runs.answered(this.#edge.edgeId, answer, { code, reason });
  }

  progressed(progress: EdgeProgress): void {
    this.#session.heard();
    this.#runs.progressed(this.#edge, progress);
  }

  clock(offset: ClockOffset): void {
    this.#session.heard();
    this.#session.clock(offset);
  }

  closed(): void {
    this.#session.closed();
  }
}
