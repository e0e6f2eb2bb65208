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
import { type AuditedChanges, type AuditTrail, currentActor } from '#platform/audit';
import { DomainError, VERSION } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { EdgeSession, EdgeSessions } from '../edge/edge-sessions.ts';
import type { RunEvent } from '../run/run-event.ts';
import type { RunService } from '../run/run-service.ts';

/** The status of a caller who is known, and may not act as this edge. */
const FORBIDDEN = 403;
/** Unacknowledged batches, divided among all edges. */
const CREDIT = 256;
const CREDIT_MIN = 2;
const CREDIT_MAX = 16;

interface EdgeGatewayParts {
  readonly sessions: EdgeSessions;
  readonly runs: RunService;
  readonly heartbeatMs: number;
  /** Takes the event of each edge that comes, or goes. */
  readonly audit: AuditedChanges;
  /** Takes the event of each edge whose certificate is refused. */
  readonly edgeAudit?: Pick<AuditTrail, 'refusal'> | undefined;
  readonly log: Log;
}

/** Passes the messages of edges to the registry, their sessions and the runs that they name. */
@Injectable()
export class HiveEdgeGateway extends EdgeGateway {
  override readonly version = VERSION;
  override readonly heartbeatIntervalMs: number;
  readonly #sessions: EdgeSessions;
  readonly #runs: RunService;
  readonly #audit: AuditedChanges;
  readonly #edgeAudit: EdgeGatewayParts['edgeAudit'];
  readonly #log: Log;

  constructor({ sessions, runs, heartbeatMs, audit, edgeAudit, log }: EdgeGatewayParts) {
    super();
    this.heartbeatIntervalMs = heartbeatMs;
    this.#sessions = sessions;
    this.#runs = runs;
    this.#audit = audit;
    this.#edgeAudit = edgeAudit;
    this.#log = log;
  }

  override get batchCredit(): number {
    const share = Math.floor(CREDIT / Math.max(1, this.#sessions.registry.list().length));
    return Math.min(CREDIT_MAX, Math.max(CREDIT_MIN, share));
  }

  override async register(identity: EdgeIdentity): Promise<EdgeRegistration> {
    const { edgeId, instanceId } = identity;
    const before = this.#sessions.registry.get(edgeId);
    const register = (): Promise<EdgeRegistration> => this.#sessions.registry.register(identity);
    const registration = await this.#audit.make({ target: edgeId }, register);
    if (before !== undefined && before.instanceId !== instanceId) {
      this.#sessions.evict(edgeId, 'an edge with this id was registered after it');
    }
    this.#sessions.of(edgeId).heard();
    this.#log.info({ event: 'edge.registered', edge_id: edgeId, instance_id: instanceId }, 'edge registered');
    this.#happened({ type: 'edge_registered', edgeId, instanceId });
    return registration;
  }

  override async deregister(credential: EdgeCredential): Promise<void> {
    this.#sessions.registry.admit(credential);
    const { edgeId } = credential;
    await this.#audit.make({ target: edgeId }, () => this.remove(edgeId, 'it deregistered'));
  }

  /** False for an unknown edge. */
  async remove(edgeId: string, reason: string): Promise<boolean> {
    if (!(await this.#sessions.registry.remove(edgeId))) return false;
    this.#sessions.evict(edgeId, reason);
    this.#log.info({ event: 'edge.removed', edge_id: edgeId, reason }, 'edge removed');
    this.#happened({ type: 'edge_removed', edgeId });
    return true;
  }

  override refused({ edgeId, peer, error }: EdgeRefusal): void {
    const { code, message: reason } = error;
    this.#log.warn({ event: 'edge.refused', edge_id: shownId(edgeId), peer, code, reason }, 'edge rejected');
    if (code === 'CERTIFICATE_INVALID') this.#edgeAudit?.refusal(currentActor(), FORBIDDEN);
  }

  override admit(credential: EdgeCredential): EdgeRegistration {
    return this.#sessions.registry.admit(credential);
  }

  override connect(registration: EdgeRegistration, channel: EdgeChannel): EdgeListener {
    const { edgeId, instanceId } = registration;
    const session = this.#sessions.of(edgeId);
    session.open(channel);
    this.#log.debug({ event: 'edge.connected', edge_id: edgeId }, 'edge connected');
    this.#happened({ type: 'edge_connected', edgeId, instanceId });
    const closed = (): void => {
      if (!session.closed(channel)) return;
      this.#log.info({ event: 'edge.disconnected', edge_id: edgeId }, 'edge disconnected');
    };
    return new SessionListener(registration, { session, closed, runs: this.#runs });
  }

  /** Resolves when the batch is on disk; after a rejection it will not be stored. */
  override async receiveBatch({ edgeId, instanceId }: EdgeRegistration, batch: ReceivedBatch): Promise<void> {
    const active = this.#runs.activeOf(batch.runId);
    if (active === undefined) throw new DomainError('RUN_ENDED', 'no active run has this id');
    if (!active.run.state.members.some((member) => member.edgeId === edgeId))
      throw new DomainError('RUN_ENDED', 'the edge is not in the run');
    await active.telemetry.append({ edgeId, instanceId }, batch);
  }

  #happened(event: RunEvent): void {
    for (const { run } of this.#runs.active) run.happened(event);
  }
}

/** A received edge id, made safe for a log line. */
function shownId(edgeId: string): string {
  return edgeId.slice(0, 64).replace(/[^\x20-\x7e]/g, '?');
}

interface SessionListenerParts {
  readonly session: EdgeSession;
  readonly runs: RunService;
  readonly closed: () => void;
}

/** Passes the messages of a connected edge to its session and to its run. */
class SessionListener implements EdgeListener {
  readonly closed: () => void;
  readonly #edge: EdgeRegistration;
  readonly #session: EdgeSession;
  readonly #runs: RunService;

  constructor(edge: EdgeRegistration, { session, runs, closed }: SessionListenerParts) {
    this.#edge = edge;
    this.#session = session;
    this.#runs = runs;
    this.closed = closed;
  }

  heartbeat(heartbeat: EdgeHeartbeat): void {
    this.#session.heard();
    this.#session.heartbeat = heartbeat;
  }

  acked(answer: EdgeAnswer): void {
    this.#answered(answer, undefined);
  }

  nacked(answer: EdgeAnswer, code: string, reason: string): void {
    this.#answered(answer, { code, reason });
  }

  progressed(progress: EdgeProgress): void {
    this.#session.heard();
    const { edgeId, instanceId } = this.#edge;
    const { run } = this.#runs.activeOf(progress.runId) ?? {};
    run?.learned({ type: 'counted', edgeId, instanceId, progress });
  }

  clock(offset: ClockOffset): void {
    this.#session.heard();
    this.#session.clockOffset = offset;
  }

  /** An acknowledgement of an edge whose certificate has expired counts as a rejection. */
  #answered(answer: EdgeAnswer, refusal: EdgeNack | undefined): void {
    this.#session.heard();
    const fault = this.#session.channel?.certificateFault();
    const actual = fault === undefined ? refusal : { code: 'certificate_invalid', reason: fault };
    this.#runs.activeOf(answer.runId)?.run.answered(this.#edge.edgeId, answer, actual);
  }
}

interface EdgeNack {
  readonly code: string;
  readonly reason: string;
}
