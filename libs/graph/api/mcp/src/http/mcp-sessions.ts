import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Admission, type Caller } from '#platform/auth';
import { Clock, DomainError } from '#platform/foundation';
import { McpServers } from '../server/create-mcp-server.ts';
import { McpSession } from './mcp-session.ts';

export const SESSIONS_MAX = 64;
/** Idle time-out of a session. */
export const SESSION_IDLE_MS = 15 * 60_000;
const SWEEP_MS = 30_000;
/** Maximum number of pending requests of one session. */
export const REQUESTS_MAX = 16;
/** Maximum number of pending requests of all sessions, which bounds the memory of their answers. */
const REQUESTS_OF_ALL_MAX = 64;
/** Maximum number of messages in one request. */
const MESSAGES_MAX = 16;

interface KeptSession {
  readonly session: McpSession;
  /** Who sent the last request. A session belongs to the key, or the subject of a token, that began it. */
  caller: Caller;
  usedMs: number;
  /** Ends the watch of the caller. */
  unfollow: () => void;
}

/**
 * The sessions of HTTP clients. Above the bound, the longest idle session is closed; its client gets 404 and,
 * by the protocol, starts a new session.
 */
@Injectable()
export class McpSessions implements OnModuleInit, OnModuleDestroy {
  readonly #servers: McpServers;
  readonly #admission: Admission;
  readonly #clock: Clock;
  /** Longest idle first. */
  readonly #kept = new Map<string, KeptSession>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(
    @Inject(McpServers) servers: McpServers,
    @Inject(Admission) admission: Admission,
    @Inject(Clock) clock: Clock,
  ) {
    this.#servers = servers;
    this.#admission = admission;
    this.#clock = clock;
  }

  get size(): number {
    return this.#kept.size;
  }

  onModuleInit(): void {
    this.#sweeper = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all(Array.from(this.#kept.values(), ({ session }) => session.close()));
  }

  /** The existing or new session of a request. Throws NOT_FOUND, TOO_BUSY, INVALID_REQUEST. */
  async sessionOf(id: string | undefined, body: unknown, caller: Caller): Promise<McpSession> {
    if (Array.isArray(body) && body.length > MESSAGES_MAX)
      throw new DomainError('INVALID_REQUEST', `expected at most ${MESSAGES_MAX} messages`);
    this.#checkRoom();
    if (id !== undefined) return this.#find(id, caller);
    if (!isInitializeRequest(body)) {
      const message = 'Mcp-Session-Id: expected the id of a session; initialize begins one';
      throw new DomainError('INVALID_REQUEST', message, { details: { field: 'Mcp-Session-Id' } });
    }
    await this.#makeRoom();
    return this.#begin(caller);
  }

  /** Closes sessions that were idle too long. */
  async sweep(): Promise<void> {
    await this.#makeRoom(this.#kept.size + 1);
  }

  #checkRoom(): void {
    let open = 0;
    for (const { session } of this.#kept.values()) open += session.open;
    if (open >= REQUESTS_OF_ALL_MAX)
      throw new DomainError('TOO_BUSY', `${REQUESTS_OF_ALL_MAX} requests are being answered`);
  }

  #find(id: string, caller: Caller): McpSession {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.caller.name !== caller.name || this.#isOver(kept)) {
      if (kept !== undefined && this.#isOver(kept)) void kept.session.close();
      throw new DomainError('NOT_FOUND', 'no such session: initialize begins another');
    }
    if (kept.session.open >= REQUESTS_MAX)
      throw new DomainError('TOO_BUSY', `${REQUESTS_MAX} requests of this session are being answered`);
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    if (kept.caller !== caller) {
      // A new token of the same subject carries the session on beyond the end of the last one.
      kept.unfollow();
      kept.unfollow = this.#follow(caller, kept.session);
    }
    kept.caller = caller;
    kept.usedMs = this.#clock.monotonicMs();
    return kept.session;
  }

  async #begin(caller: Caller): Promise<McpSession> {
    let ownId: string | undefined;
    const callerOf = (): Caller => this.#kept.get(ownId ?? '')?.caller ?? caller;
    const session: McpSession = await McpSession.connect(this.#servers.create(callerOf), {
      onOpen: (id) => {
        ownId = id;
        const unfollow = this.#follow(caller, session);
        this.#kept.set(id, { session, caller, usedMs: this.#clock.monotonicMs(), unfollow });
      },
      onClose: () => {
        if (ownId === undefined) return;
        this.#kept.get(ownId)?.unfollow();
        this.#kept.delete(ownId);
      },
    });
    return session;
  }

  /** A key of the same name with another secret does not take the session over. */
  #follow(caller: Caller, session: McpSession): () => void {
    return this.#admission.follow({ caller, requirement: undefined }, () => void session.close());
  }

  async #makeRoom(sizeMax = SESSIONS_MAX): Promise<void> {
    for (const kept of [...this.#kept.values()]) if (this.#isOver(kept)) await kept.session.close();
    if (this.#kept.size < sizeMax) return;
    const idle = [...this.#kept.values()].find(({ session }) => session.open === 0);
    if (idle === undefined)
      throw new DomainError('TOO_BUSY', `${SESSIONS_MAX} sessions are busy: no more are taken`);
    await idle.session.close();
  }

  #isOver({ session, usedMs }: KeptSession): boolean {
    return session.open === 0 && this.#clock.monotonicMs() - usedMs > SESSION_IDLE_MS;
  }
}
