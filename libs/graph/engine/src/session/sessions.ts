import { randomUUID } from 'node:crypto';
import type { BatchWriter } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import type { Erasure } from '../erasure/erasure.ts';
import type { Naming, StateOwner } from '../erasure/state-owner.ts';
import type { SessionReply, SyncReply } from '../request/replies.ts';
import type { SafetyValve, SessionBatch, SyncOptions, SyncRequest, SyncScope } from '../request/requests.ts';
import { RECORD_KIND } from '../record/record-key.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { Prepared } from '../store/prepared.ts';
import type { Ingest } from './ingest.ts';
import {
  type BatchFacts,
  batchKey,
  batchPrefix,
  contentsOf,
  decodeBatch,
  decodeSession,
  encodeBatch,
  encodeSession,
  OpenSession,
  readBatchFacts,
  readSessionKey,
  type Session,
  sessionKey,
} from './open-session.ts';

const HOUR_MS = 3_600_000;
const LIFETIME_MS = 24 * HOUR_MS;
/** Retention of the record of an expired session. */
const EPITAPH_MS = 24 * HOUR_MS;
const BATCH_NUMBER_MAX = 99_999_999;
const NOTHING = new Uint8Array(0);

/**
 * Syncs in several requests. A session survives a restart and expires 24 hours after it was opened: then
 * every call throws SESSION_EXPIRED. An unknown id throws NOT_FOUND.
 */
export class Sessions implements StateOwner {
  readonly #store: GraphStore;
  readonly #ingest: Ingest;
  readonly #sessions = new Map<string, OpenSession>();
  /** Commits in progress: a repeated request gets the same reply. */
  readonly #commits = new Map<string, Promise<SyncReply>>();

  constructor(store: GraphStore, ingest: Ingest) {
    this.#store = store;
    this.#ingest = ingest;
    store.onForeign(RECORD_KIND.session, (key, value) => {
      this.#note(key, value);
    });
  }

  /** Loads the stored sessions. */
  async load(): Promise<void> {
    this.#sessions.clear();
    for await (const chunk of this.#store.storage.scan(sessionKey(''))) {
      for (const { key, value } of chunk) this.#note(key, value);
    }
  }

  /** Resolves when the session is durable. */
  async open(scope: SyncScope): Promise<SessionReply> {
    const createdAtMs = this.#store.nowMs();
    const session: Session = {
      id: randomUUID(),
      connectorId: scope.connectorId,
      syncId: scope.syncId,
      mode: scope.mode ?? 'diff',
      partialTypes: scope.partialTypes ?? [],
      partialRelationships: scope.partialRelationships ?? [],
      priority: scope.priority,
      state: 'open',
      createdAtMs,
      expiresAtMs: createdAtMs + LIFETIME_MS,
    };
    await this.#store.record((batch) => batch.put(sessionKey(session.id), encodeSession(session)));
    const opened = new OpenSession(session);
    this.#sessions.set(session.id, opened);
    return opened.reply();
  }

  /** The source of a session, ended or expired too; undefined for an unknown id. */
  async sourceOf(sessionId: string): Promise<string | undefined> {
    await this.#store.catchUp();
    return this.#sessions.get(sessionId)?.facts.connectorId;
  }

  /**
   * Resolves when the batch is durable. `number` starts at 1. A repeated batch is accepted; other content
   * with the same number, or a session that is no longer open, throws CONFLICT.
   */
  async putBatch(sessionId: string, number: number, batch: SessionBatch): Promise<SessionReply> {
    await this.#current(sessionId);
    if (!Number.isSafeInteger(number) || number < 1 || number > BATCH_NUMBER_MAX) {
      throw new DomainError('INVALID_REQUEST', 'batch: expected a number from 1', {
        details: { field: 'batch' },
      });
    }
    const value = encodeBatch(batch);
    const facts = readBatchFacts(number, value);
    return this.#store.run(() => {
      const session = this.#find(sessionId);
      session.requireOpen();
      const isNew = session.add(facts);
      const reply = session.reply();
      if (!isNew) return { reply };
      return {
        reply,
        record: (into) => into.put(batchKey(sessionId, number), value),
        undo: () => session.drop(number),
      };
    });
  }

  /**
   * Commits all batches as one atomic sync. Repeated, it returns the stored reply. The session stays open
   * after a dry run, and after a CONFLICT because of a missing batch between 1 and the last.
   */
  async commit(sessionId: string, options: SyncOptions & SafetyValve = {}): Promise<SyncReply> {
    if (options.dryRun === true) return this.#commitOnce(sessionId, options);
    const running = this.#commits.get(sessionId);
    if (running !== undefined) return running;
    const commit = this.#commitOnce(sessionId, options).finally(() => this.#commits.delete(sessionId));
    this.#commits.set(sessionId, commit);
    return commit;
  }

  async #commitOnce(sessionId: string, options: SyncOptions & SafetyValve): Promise<SyncReply> {
    for (;;) {
      const session = await this.#current(sessionId);
      if (session.state === 'committed') {
        const reply = (await this.#replyOf(session)) ?? (await this.#replyInTurn(session));
        if (reply !== undefined) return reply;
        continue;
      }
      session.requireOpen();
      session.requireWhole();
      session.isEnding = true;
      try {
        return await this.#commit(session, options);
      } catch (error) {
        if (!(error instanceof SessionChanged)) throw error;
      } finally {
        session.isEnding = false;
      }
    }
  }

  async #commit(session: OpenSession, options: SyncOptions & SafetyValve): Promise<SyncReply> {
    const { request, contents } = await this.#requestOf(session, options);
    if (options.dryRun === true) return this.#ingest.sync(request, options);
    const reply = await this.#ingest.sync(request, options, {
      requireSame: () => {
        const known = this.#sessions.get(session.facts.id);
        if (known !== session || session.state !== 'open' || session.contents() !== contents)
          throw new SessionChanged();
      },
      record: (batch) => {
        this.#end(session, 'committed', batch);
      },
      undo: () => {
        session.end('open');
      },
    });
    const { id } = session.facts;
    if (this.#sessions.get(id)?.state === 'open') await this.#store.run(() => this.#ending(id, 'committed'));
    return reply;
  }

  /** Drops the batches. Repeated, it has no effect; a committed session throws CONFLICT. */
  async abort(sessionId: string): Promise<SessionReply> {
    const session = await this.#current(sessionId);
    if (session.state === 'aborted') return session.reply();
    session.requireOpen();
    session.isEnding = true;
    try {
      const ended = await this.#store.run(() => this.#ending(sessionId, 'aborted'));
      // Another process has committed it.
      if (ended.state === 'committed') ended.requireOpen();
      return ended.reply();
    } finally {
      session.isEnding = false;
    }
  }

  async get(sessionId: string): Promise<SessionReply> {
    const session = await this.#current(sessionId);
    return session.reply();
  }

  /**
   * Aborts the open sessions that state an entity or its relationships; resolves to their number. One that is
   * being committed states it again.
   */
  async erase(erasure: Erasure): Promise<number> {
    let aborted = 0;
    for (const { facts } of [...this.#sessions.values()]) {
      if (!(await this.#isStatedBy(facts.id, erasure))) continue;
      await this.#commits.get(facts.id)?.catch(() => undefined);
      if (this.#sessions.get(facts.id)?.state !== 'open') continue;
      const { state } = await this.#store.run(() => this.#ending(facts.id, 'aborted'));
      if (state === 'aborted') aborted++;
    }
    return aborted;
  }

  /** Open sessions with its name in the data of other entities go with these. */
  async naming(): Promise<readonly Naming[]> {
    return [];
  }

  /** Removes expired sessions; resolves to the number of sessions that lost their batches or their record. */
  async sweep(): Promise<number> {
    return this.#store.run(() => {
      const nowMs = this.#store.nowMs();
      const stale = Array.from(this.#sessions.values()).filter(
        ({ state, facts }) => facts.expiresAtMs + (state === 'open' ? 0 : EPITAPH_MS) <= nowMs,
      );
      if (stale.length === 0) return { reply: 0 };
      const before = stale.map((session) => ({ session, state: session.state }));
      return {
        reply: stale.length,
        record: (batch) => {
          for (const session of stale) this.#sweepOne(session, nowMs, batch);
        },
        undo: () => {
          for (const { session, state } of before) {
            session.end(state);
            this.#sessions.set(session.facts.id, session);
          }
        },
      };
    });
  }

  async #isStatedBy(sessionId: string, erasure: Erasure): Promise<boolean> {
    for await (const chunk of this.#store.storage.scan(batchPrefix(sessionId))) {
      for (const { value } of chunk) {
        const { entities, relationships } = decodeBatch(value);
        if (entities.some((each) => erasure.isEntity(each))) return true;
        if (relationships.some((each) => erasure.isRelationship(each))) return true;
      }
    }
    return false;
  }

  #sweepOne(session: OpenSession, nowMs: number, batch: BatchWriter): void {
    this.#end(session, session.state === 'open' ? 'aborted' : session.state, batch);
    if (session.facts.expiresAtMs + EPITAPH_MS > nowMs) return;
    batch.delete(sessionKey(session.facts.id), NOTHING, nowMs);
    this.#sessions.delete(session.facts.id);
  }

  /** Loads a session of another process. */
  async #current(sessionId: string): Promise<OpenSession> {
    await this.#store.catchUp();
    return this.#find(sessionId);
  }

  #note(key: Uint8Array, value: Uint8Array | undefined): void {
    const { id, number } = readSessionKey(key);
    if (number !== undefined) {
      if (value !== undefined) this.#sessions.get(id)?.add(readBatchFacts(number, value));
    } else if (value === undefined) this.#sessions.delete(id);
    else {
      const session = decodeSession(value);
      const known = this.#sessions.get(id);
      if (known === undefined) this.#sessions.set(id, new OpenSession(session));
      else known.end(session.state);
    }
  }

  #known(sessionId: string): OpenSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new DomainError('NOT_FOUND', 'no such session');
    return session;
  }

  #find(sessionId: string): OpenSession {
    const session = this.#known(sessionId);
    if (session.facts.expiresAtMs <= this.#store.nowMs()) {
      throw new DomainError('SESSION_EXPIRED', 'the session has expired; open a new one');
    }
    return session;
  }

  #replyOf({ facts }: OpenSession): Promise<SyncReply | undefined> {
    return this.#ingest.syncReply(facts.connectorId, facts.syncId);
  }

  /**
   * A batch whose outcome was unknown may have been lost or kept meanwhile, which is final in the turn.
   * Undefined if it was lost: the session is open again.
   */
  #replyInTurn({ facts }: OpenSession): Promise<SyncReply | undefined> {
    return this.#ingest.syncReplyInTurn(facts.connectorId, facts.syncId, () => {
      if (this.#known(facts.id).state !== 'committed') return undefined;
      throw new DomainError('NOT_FOUND', 'no such sync');
    });
  }

  /** The sync of all stored batches, and which these are. */
  async #requestOf(
    session: OpenSession,
    valve: SafetyValve,
  ): Promise<{ readonly request: SyncRequest; readonly contents: string }> {
    const { force, maxDeleteRatio } = valve;
    const entities: SyncRequest['entities'][] = [];
    const relationships: SyncRequest['relationships'][] = [];
    const read: BatchFacts[] = [];
    for await (const chunk of this.#store.storage.scan(batchPrefix(session.facts.id))) {
      for (const { key, value } of chunk) {
        const batch = decodeBatch(value);
        entities.push(batch.entities);
        relationships.push(batch.relationships);
        read.push(readBatchFacts(readSessionKey(key).number ?? NaN, value));
      }
    }
    const rest = { force, maxDeleteRatio, entities: entities.flat(), relationships: relationships.flat() };
    return { request: { ...emptyRequest(session.facts), ...rest }, contents: contentsOf(read) };
  }

  /**
   * Ends a session in the turn, unless another process has ended it. The commit of one whose sync id was used
   * before writes no batch with the end.
   */
  #ending(sessionId: string, state: 'committed' | 'aborted'): Prepared<OpenSession> {
    const session = this.#known(sessionId);
    if (session.state !== 'open') return { reply: session };
    return {
      reply: session,
      record: (batch) => {
        this.#end(session, state, batch);
      },
      undo: () => {
        session.end('open');
      },
    };
  }

  #end(session: OpenSession, state: 'committed' | 'aborted', batch: BatchWriter): void {
    const { id } = session.facts;
    for (const number of session.batchNumbers())
      batch.delete(batchKey(id, number), NOTHING, this.#store.nowMs());
    session.end(state);
    batch.put(sessionKey(id), encodeSession(session.facts));
  }
}

/** Another process has changed the session since it was read. */
class SessionChanged extends Error {}

function emptyRequest(session: Session): SyncRequest {
  const { connectorId, syncId, mode, partialTypes, partialRelationships, priority } = session;
  const scope = { connectorId, syncId, mode, partialTypes, partialRelationships, priority };
  return { ...scope, entities: [], relationships: [] };
}
