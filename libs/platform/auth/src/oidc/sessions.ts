import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, DomainError, type Soon, whenThere } from '#platform/foundation';
import type { Caller } from '../caller.ts';
import type { EventLog } from '../event-log.ts';
import type { GroupRoles } from './group-roles.ts';
import { nameOfSubject } from './name-of-subject.ts';

const IDLE_MS = 30 * 60_000;
const AGE_MS = 12 * 3_600_000;
/** The secret of a session in use is replaced after this time. */
const RENEW_MS = 5 * 60_000;
/** How long the last secret is taken beside the new one, which other requests may not have yet. */
const OVERLAP_MS = 60_000;
const SESSIONS_MAX = 10_000;
const NAMESPACE = 'sign-in';
const COOKIE = /^(?<id>[\w-]{22})\.(?<secret>[\w-]{43})$/;

/** A session as it is stored: its secrets only as hashes. Times are RFC 3339 UTC. */
interface SessionDocument {
  /** The history of the store in which it began. */
  readonly epoch: string;
  readonly subject: string;
  readonly groups: readonly string[];
  readonly started_at: string;
  /** When it was last renewed. */
  readonly used_at: string;
  readonly secret: string;
  /** The secret before. */
  readonly former?: string | undefined;
  /** Its end; undefined while nobody has shown the new one, which may have been lost with its reply. */
  readonly former_until?: string | undefined;
}

/** The documents of the store, in which sessions are kept. */
export interface SessionDocuments {
  change(
    namespace: string,
    changes: readonly { readonly id: string; readonly value: unknown }[],
    options?: { readonly isBookkeeping: boolean },
  ): Promise<void>;
  get(namespace: string, id: string): Promise<unknown>;
  all(namespace: string): AsyncIterable<{ readonly id: string; readonly value: unknown }>;
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Resolves when all that other nodes acknowledged before the call is here. Asked for each unknown cookie:
   * how often must make no difference to the store. Throws STORE_UNAVAILABLE while it cannot be known.
   */
  upToDate(): Promise<void>;
  onForeign(namespace: string, prefix: string, read: () => Promise<void>): void;
}

/** The store of sessions. */
export interface SessionStore {
  readonly documents: SessionDocuments;
  /** Another one after a restore, or a loss of batches: a sign-out may have been lost with them. */
  readonly epoch: string;
}

/** A session that this process has seen. */
interface Kept {
  readonly id: string;
  document: SessionDocument;
  /** The last use in this process, which is stored at times only. */
  usedMs: number;
  isWriting: boolean;
}

export interface FoundSession {
  readonly caller: Caller;
  /** What the browser has to show from now on; undefined: the same. */
  readonly renewed?: string | undefined;
}

/** What one is asked with: the kept session, and the hash of the secret that was shown. */
interface Shown {
  readonly kept: Kept;
  readonly hash: string;
}

const BOOKKEEPING = { isBookkeeping: true } as const;

/**
 * Sessions of pages. A session ends by a sign-out, without use, and by age. Its secret is replaced while it
 * is used; whoever shows a former one later has copied it, or was copied, and ends the session.
 */
export class Sessions {
  readonly #roles: GroupRoles;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #listeners: (() => void)[] = [];
  #store: SessionStore | undefined;
  #log: EventLog | undefined;

  constructor({ roles, clock }: { readonly roles: GroupRoles; readonly clock: Clock }) {
    this.#roles = roles;
    this.#clock = clock;
  }

  /** Until then there are none. */
  open(store: SessionStore, log: EventLog): void {
    this.#store = store;
    this.#log = log;
    store.documents.onForeign(NAMESPACE, '', () => this.#readAgain());
  }

  /** Calls `listener` whenever sessions may have ended before their time. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Begins a session; what the browser has to show is its text. Undefined where no group has a role. */
  async start(subject: string, groups: readonly string[]): Promise<string | undefined> {
    if (this.#roles.accessOf(groups) === undefined) return undefined;
    const [id, secret] = [textOf(16), textOf(32)];
    const now = new Date(this.#clock.nowMs()).toISOString();
    const begun = { subject, groups, started_at: now, used_at: now, secret: hashOf(secret) };
    await this.#makeRoom();
    for (let epoch = this.#store?.epoch ?? ''; ;) {
      const document = { ...begun, epoch } satisfies SessionDocument;
      await this.#documents?.change(NAMESPACE, [{ id, value: document }]);
      // Its own batch may be the first of a new history.
      if (epoch === (this.#store?.epoch ?? '')) return `${id}.${secret}`;
      epoch = this.#store?.epoch ?? '';
    }
  }

  /**
   * Whose session it is. Before a cookie is refused, what other nodes have written is looked at: one may have
   * begun the session, or given it another secret, a moment ago. Throws STORE_UNAVAILABLE while that cannot
   * be known.
   */
  find(cookie: string): Soon<FoundSession | undefined> {
    const { id, secret } = COOKIE.exec(cookie)?.groups ?? {};
    if (id === undefined || secret === undefined) return undefined;
    const hash = hashOf(secret);
    const known = whenThere(this.#kept.get(id) ?? this.#fetched(id), (kept) =>
      kept === undefined ? undefined : this.#judged({ kept, hash }),
    );
    return whenThere(known, (found) => found ?? this.#foundAnew(id, hash));
  }

  async #foundAnew(id: string, hash: string): Promise<FoundSession | undefined> {
    await this.#documents?.upToDate();
    const kept = await this.#fetched(id);
    if (kept === undefined) return undefined;
    const shown = { kept, hash };
    const found = await this.#judged(shown);
    if (found === undefined && this.#isCopied(shown)) await this.#end(kept);
    return found;
  }

  /** Ends the session with this text, if there is one. */
  async end(cookie: string): Promise<void> {
    const id = COOKIE.exec(cookie)?.groups?.['id'];
    if (id === undefined || (await this.find(cookie)) === undefined) return;
    await this.#documents?.change(NAMESPACE, [{ id, value: undefined }]);
    this.#forget(id);
  }

  get #documents(): SessionDocuments | undefined {
    return this.#store?.documents;
  }

  #judged(shown: Shown): Soon<FoundSession | undefined> {
    const { kept, hash } = shown;
    const caller = this.#callerOf(kept);
    if (caller === undefined) return undefined;
    if (this.#isCopied(shown)) return undefined;
    const { secret, former, former_until: formerUntil } = kept.document;
    const nowMs = this.#clock.nowMs();
    const isOld = nowMs - Date.parse(kept.document.used_at) >= RENEW_MS;
    if (isSame(hash, secret)) {
      kept.usedMs = nowMs;
      const isFirst = former !== undefined && formerUntil === undefined;
      return isOld || isFirst ? this.#renewed(shown, caller) : { caller };
    }
    if (former === undefined || !isSame(hash, former)) return undefined;
    kept.usedMs = nowMs;
    return isOld ? this.#renewed(shown, caller) : { caller };
  }

  /** Whether a former secret is shown after its end. */
  #isCopied({ kept: { document }, hash }: Shown): boolean {
    const { former, former_until: formerUntil } = document;
    if (former === undefined || formerUntil === undefined || !isSame(hash, former)) return false;
    return this.#clock.nowMs() >= Date.parse(formerUntil);
  }

  #callerOf(kept: Kept): Caller | undefined {
    const { subject, groups } = kept.document;
    const endsMs = endsMsOf(kept);
    const access = this.#roles.accessOf(groups);
    const isOver = this.#clock.nowMs() >= endsMs || kept.document.epoch !== this.#store?.epoch;
    if (access === undefined || isOver) return undefined;
    const now = (): Caller | undefined => {
      const current = this.#kept.get(kept.id);
      return current === undefined ? undefined : this.#callerOf(current);
    };
    return { ...access, name: nameOfSubject(subject), source: undefined, endsMs, now };
  }

  /**
   * Stores the use, with a new secret or the end of the former one. What cannot be stored waits. Undefined
   * for a session that another node has ended.
   */
  async #renewed(shown: Shown, caller: Caller): Promise<FoundSession | undefined> {
    const { kept } = shown;
    if (kept.isWriting) return { caller };
    kept.isWriting = true;
    try {
      const secret = textOf(32);
      const document = await this.#documents?.exclusively(() => this.#changed(shown, hashOf(secret)));
      if (document === undefined) {
        this.#forget(kept.id);
        return undefined;
      }
      kept.document = document;
      return { caller, renewed: document.secret === hashOf(secret) ? `${kept.id}.${secret}` : undefined };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#log?.warn({ event: 'session.not_renewed', reason: error.code }, 'session could not be renewed');
      return { caller };
    } finally {
      kept.isWriting = false;
    }
  }

  /** The document as it is from now on; undefined where another process has changed or ended it. */
  async #changed({ kept: { id }, hash }: Shown, next: string): Promise<SessionDocument | undefined> {
    const stored = (await this.#documents?.get(NAMESPACE, id)) as SessionDocument | undefined;
    if (stored === undefined) return undefined;
    const nowMs = this.#clock.nowMs();
    const isCurrent = isSame(hash, stored.secret);
    const isOld = nowMs - Date.parse(stored.used_at) >= RENEW_MS;
    const isUnseen = stored.former !== undefined && stored.former_until === undefined;
    let document: SessionDocument;
    if (isOld && (isCurrent || isUnseen)) {
      const usedAt = new Date(nowMs).toISOString();
      document = { ...stored, used_at: usedAt, secret: next, former: hash, former_until: undefined };
    } else if (isCurrent && isUnseen)
      document = { ...stored, former_until: new Date(nowMs + OVERLAP_MS).toISOString() };
    else return stored;
    await this.#documents?.change(NAMESPACE, [{ id, value: document }], BOOKKEEPING);
    return document;
  }

  /** Ends a session that was copied. */
  async #end({ id, document }: Kept): Promise<void> {
    this.#log?.warn(
      { event: 'session.ended', who: nameOfSubject(document.subject) },
      'a former secret of a session was shown: the session was copied, and has ended',
    );
    this.#forget(id);
    try {
      await this.#documents?.change(NAMESPACE, [{ id, value: undefined }]);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
  }

  #forget(id: string): void {
    this.#kept.delete(id);
    for (const listener of this.#listeners) listener();
  }

  /** As it is stored here. */
  async #fetched(id: string): Promise<Kept | undefined> {
    const stored = await this.#read(id);
    if (stored === undefined) return undefined;
    const kept = this.#kept.get(id) ?? {
      id,
      document: stored,
      usedMs: Date.parse(stored.used_at),
      isWriting: false,
    };
    this.#kept.set(id, kept);
    return kept;
  }

  async #read(id: string): Promise<SessionDocument | undefined> {
    return (await this.#documents?.get(NAMESPACE, id)) as SessionDocument | undefined;
  }

  /** Another process has changed sessions. */
  async #readAgain(): Promise<void> {
    for (const kept of [...this.#kept.values()]) {
      const stored = await this.#read(kept.id);
      if (stored === undefined) this.#kept.delete(kept.id);
      else kept.document = stored;
    }
    for (const listener of this.#listeners) listener();
  }

  /** Removes sessions that have ended, and the oldest ones above the bound. */
  async #makeRoom(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const ended: string[] = [];
    const open: { readonly id: string; readonly startedAt: string }[] = [];
    for await (const { id, value } of this.#documents?.all(NAMESPACE) ?? []) {
      const document = value as SessionDocument;
      const usedMs = this.#kept.get(id)?.usedMs ?? 0;
      const isForeign = document.epoch !== this.#store?.epoch;
      if (isForeign || nowMs >= endsMsOf({ document, usedMs })) ended.push(id);
      else open.push({ id, startedAt: document.started_at });
    }
    open.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
    ended.push(...open.slice(0, Math.max(0, open.length - SESSIONS_MAX + 1)).map(({ id }) => id));
    if (ended.length === 0) return;
    const changes = ended.map((id) => ({ id, value: undefined }));
    await this.#documents?.change(NAMESPACE, changes, BOOKKEEPING);
    for (const id of ended) this.#forget(id);
  }
}

function endsMsOf({ document, usedMs }: Pick<Kept, 'document' | 'usedMs'>): number {
  const lastMs = Math.max(usedMs, Date.parse(document.used_at));
  return Math.min(Date.parse(document.started_at) + AGE_MS, lastMs + IDLE_MS);
}

function textOf(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
