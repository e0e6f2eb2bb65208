/** What one client has begun: its state, its transaction, and the replies to its requests. */
import {
  type DatabaseTransactions,
  DEFAULT_DATABASE,
  type StatementKind,
  SYSTEM_DATABASE,
} from '#graph/cypher';
import { type Actor, actingAs } from '#platform/audit';
import { actorOf, type Admission, type Caller, NOBODY, requireStatement } from '#platform/auth';
import { BoltFault, invalidRequest } from '../failure/bolt-fault.ts';
import type { Credentials, Request, TransactionStart } from '../message/request.ts';
import { textsOf } from '../message/dictionary.ts';
import { NO_WISHES, wanted, wishesOf } from '../message/notification-wishes.ts';
import { credentialsOf } from '../message/request.ts';
import type { BoltVersion } from '../wire/handshake.ts';
import { isAtLeast } from '../wire/handshake.ts';
import type { Metadata, ReplyWriter } from '../wire/reply-writer.ts';
import { OpenWork } from './open-work.ts';
import { ResultStream, type RowSink } from './result-stream.ts';
import type { Routing } from './routing.ts';
import { summaryMetadata } from './summary.ts';

export interface SessionParts {
  readonly id: string;
  /** Address of the client. */
  readonly peer: string;
  readonly version: BoltVersion;
  readonly isByManifest: boolean;
  readonly replies: ReplyWriter;
  readonly sink: RowSink;
  readonly transactions: DatabaseTransactions;
  readonly routing: Routing;
  readonly admission: Pick<Admission, 'callerOfKey' | 'current' | 'follow'>;
  /** Called with true when the client has shown its credentials, with false when it has to again. */
  readonly onAdmitted: (isAdmitted: boolean) => void;
  /** Called when the key of an admitted client has ended: the connection has to end as well. */
  readonly onKeyEnded: () => void;
  readonly timeoutMs: number;
  readonly serverAgent: string;
}

type State = 'negotiation' | 'authentication' | 'ready' | 'streaming' | 'transaction' | 'failed';

const READY: readonly State[] = ['ready'];
const ADMITTED: readonly State[] = ['ready', 'streaming', 'transaction', 'failed'];

/** The states in which a request is understood; elsewhere it ends the connection. */
const EXPECTED: Readonly<Record<Request['kind'], readonly State[]>> = {
  hello: ['negotiation'],
  logon: ['authentication'],
  logoff: READY,
  begin: READY,
  run: ['ready', 'transaction'],
  pull: ['streaming', 'transaction'],
  discard: ['streaming', 'transaction'],
  commit: ['transaction'],
  rollback: ['transaction'],
  route: READY,
  telemetry: READY,
  reset: ADMITTED,
  goodbye: ADMITTED,
};

/** The first version in which credentials come after HELLO, in LOGON. */
const LOGON_SINCE: BoltVersion = { major: 5, minor: 1 };
/** From this version a transaction's database is named where the client did not name it. */
const HOME_SINCE: BoltVersion = { major: 5, minor: 8 };

export class Session {
  readonly #parts: SessionParts;
  #state: State = 'negotiation';
  #work: OpenWork | undefined;
  #isBusy = false;
  #wishes = NO_WISHES;
  /** Who has shown a key. */
  #caller: Caller = NOBODY;
  /** The request that is or was answered last. */
  #kind: Request['kind'] = 'hello';
  #unfollow = (): void => undefined;
  #hasLeft = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Whether nothing is open: the connection can be closed without loss. */
  get isIdle(): boolean {
    return !this.#isBusy && this.#work?.isClosed !== false;
  }

  /** Who asks, and for what. */
  get actor(): Actor {
    const { peer, id } = this.#parts;
    const what = `Bolt ${this.#kind.toUpperCase()}`;
    return actorOf(this.#caller, { from: peer, what, requestId: id });
  }

  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  /** Answers a request. Throws what the client has to be told; {@link fail} must follow. */
  async answer(request: Request): Promise<void> {
    this.#isBusy = true;
    try {
      this.#kind = request.kind;
      await actingAs(this.actor, () => this.#answer(request));
    } catch (error) {
      // A statement that was stopped says that; why it was is what the client has to know.
      const reason: unknown = this.#work?.stop.signal.reason;
      throw reason instanceof BoltFault ? reason : error;
    } finally {
      this.#isBusy = false;
    }
  }

  /** After an error: what is open is rolled back, and requests are ignored until RESET. */
  fail(): void {
    this.#closeWork();
    this.#state = 'failed';
  }

  /** Stops what runs at once; what is open is released as soon as nothing runs in it. */
  interrupt(): void {
    this.#work?.stop.abort();
    if (!this.#isBusy) this.#closeWork();
  }

  /** The connection has ended. */
  leave(): void {
    this.#hasLeft = true;
    this.#unfollow();
    this.interrupt();
  }

  async #answer(request: Request): Promise<void> {
    this.#require(request);
    if (this.#state !== 'negotiation' && this.#state !== 'authentication') this.#renewCaller();
    switch (request.kind) {
      case 'hello':
        await this.#hello(request.extra);
        break;
      case 'logon':
        await this.#logon(request.credentials);
        break;
      case 'logoff':
        this.#logoff();
        break;
      case 'reset':
        this.#reset();
        break;
      case 'begin':
        await this.#begin(request.start);
        break;
      case 'run':
        await this.#run(request);
        break;
      case 'pull':
      case 'discard':
        await this.#portion(request);
        break;
      case 'commit':
      case 'rollback':
        await this.#end(request.kind);
        break;
      case 'route':
        await this.#route(request);
        break;
      case 'telemetry':
        this.#parts.replies.success();
        break;
      case 'goodbye':
    }
  }

  #require({ kind }: Request): void {
    if (EXPECTED[kind].includes(this.#state)) return;
    throw invalidRequest(`${kind.toUpperCase()} is not expected in the state ${this.#state}`, true);
  }

  async #hello(extra: Extract<Request, { readonly kind: 'hello' }>['extra']): Promise<void> {
    const { version, replies, isByManifest, serverAgent, id } = this.#parts;
    this.#wishes = wishesOf(extra, 'HELLO');
    const isLogonLater = isAtLeast(version, LOGON_SINCE);
    if (!isLogonLater) await this.#admit(credentialsOf(extra));
    const asksForUtc =
      version.major < 5 && textsOf(extra.get('patch_bolt'), 'HELLO: patch_bolt').includes('utc');
    this.#state = isLogonLater ? 'authentication' : 'ready';
    replies.success({
      server: serverAgent,
      connection_id: id,
      hints: { 'telemetry.enabled': false },
      ...(asksForUtc && { patch_bolt: ['utc'] }),
      ...(isByManifest && { protocol_version: `${version.major}.${version.minor}` }),
    });
    if (asksForUtc) replies.useUtc();
  }

  async #logon(credentials: Credentials): Promise<void> {
    const { version, replies, routing } = this.#parts;
    await this.#admit(credentials);
    this.#state = 'ready';
    replies.success(isAtLeast(version, HOME_SINCE) ? { advertised_address: routing.ownAddress } : {});
  }

  async #admit({ scheme, secret }: Credentials): Promise<void> {
    const { admission, onAdmitted } = this.#parts;
    const isKnown = scheme === 'none' || scheme === 'basic' || scheme === 'bearer';
    const caller = await admission.callerOfKey(isKnown && scheme !== 'none' ? secret : undefined);
    if (caller === undefined) throw unauthorized();
    this.#caller = caller;
    this.#unfollow();
    if (this.#hasLeft) return;
    this.#unfollow = admission.follow({ caller, requirement: undefined }, () => this.#keyEnded());
    onAdmitted(true);
  }

  /** What runs is stopped, and what is open rolled back. */
  #keyEnded(): void {
    this.#work?.stop.abort(unauthorized());
    if (!this.#isBusy) this.#closeWork();
    this.#parts.onKeyEnded();
  }

  /** A key may end, be revoked or get another role while its connection is open. */
  #renewCaller(): void {
    const caller = this.#parts.admission.current(this.#caller);
    if (caller === undefined) throw unauthorized();
    this.#caller = caller;
  }

  /** What was begun with permissions that the caller no longer has goes no further. */
  #requireKinds(): void {
    for (const kind of this.#work?.kinds ?? []) requireStatement(this.#caller, kind);
  }

  #logoff(): void {
    this.#parts.onAdmitted(false);
    this.#unfollow();
    this.#caller = NOBODY;
    this.#state = 'authentication';
    this.#parts.replies.success();
  }

  #reset(): void {
    this.#closeWork();
    this.#state = 'ready';
    this.#parts.replies.success();
  }

  async #begin(start: TransactionStart): Promise<void> {
    const { transactions, replies } = this.#parts;
    const options = this.#optionsOf(start);
    const work = this.#open(options, start);
    work.transaction = await transactions.begin(options, work.stop.signal);
    this.#state = 'transaction';
    replies.success(this.#home(start));
  }

  async #run({ text, parameters, start }: Extract<Request, { readonly kind: 'run' }>): Promise<void> {
    const { transactions, replies } = this.#parts;
    const statement = { text, parameters };
    const beganMs = performance.now();
    const open = this.#work;
    if (open?.transaction !== undefined) {
      for (const stream of open.streams) await stream.settle(this.#parts.sink, open.stop.signal);
      const result = await open.transaction.run(statement, open.stop.signal);
      const qid = open.add(new ResultStream(result));
      replies.success({ fields: result.columns, t_first: elapsedMs(beganMs), qid });
      return;
    }
    const options = this.#optionsOf(start);
    const work = this.#open(options, start);
    const result = await transactions.run(statement, options, work.stop.signal);
    work.add(new ResultStream(result));
    this.#state = 'streaming';
    replies.success({ fields: result.columns, t_first: elapsedMs(beganMs), ...this.#home(start) });
  }

  async #portion({ kind, count, query: asked }: Extract<Request, { readonly count: number }>): Promise<void> {
    const { replies, sink, version } = this.#parts;
    const work = this.#work;
    if (work === undefined) throw invalidRequest(`${kind.toUpperCase()}: expected an open result`);
    const { signal } = work.stop;
    signal.throwIfAborted();
    this.#requireKinds();
    const { query, stream } = work.stream(asked);
    const beganMs = performance.now();
    const hasMore =
      kind === 'pull' ? await stream.pull(count, sink, signal) : await stream.discard(count, signal);
    if (hasMore) {
      replies.success({ has_more: true });
      return;
    }
    const { columns, hasRows } = stream;
    const notifications = wanted(stream.summary.notifications, work.wishes, this.#wishes);
    const summary = { ...stream.summary, notifications };
    work.finish(query);
    if (work.transaction === undefined) {
      this.#closeWork();
      this.#state = 'ready';
    }
    replies.success({
      ...summaryMetadata({ summary, hasColumns: columns.length > 0, hasRows }, version),
      t_last: elapsedMs(beganMs),
      db: work.database,
      bookmark: summary.bookmark,
    });
  }

  async #end(kind: 'commit' | 'rollback'): Promise<void> {
    const { replies } = this.#parts;
    const work = this.#work;
    work?.stop.signal.throwIfAborted();
    if (kind === 'commit') this.#requireKinds();
    const bookmark = kind === 'commit' ? await work?.transaction?.commit() : undefined;
    this.#closeWork();
    this.#state = 'ready';
    replies.success({ bookmark });
  }

  async #route({ address, database }: Extract<Request, { readonly kind: 'route' }>): Promise<void> {
    const name = this.#parts.transactions.nameOf(database);
    const table = await this.#parts.routing.table(address);
    this.#parts.replies.success({ rt: { ...table, db: name } });
  }

  #optionsOf({ access, bookmarks, metadata, timeoutMs, database: asked, user }: TransactionStart) {
    const database = this.#parts.transactions.nameOf(asked);
    const isSystem = database === SYSTEM_DATABASE;
    if (user !== undefined) {
      const message = 'expected no user to act for: every client that is admitted may do everything';
      throw new BoltFault('Neo.ClientError.Security.Forbidden', message);
    }
    const allowedMs = Math.min(timeoutMs ?? Infinity, this.#parts.timeoutMs);
    const admit = (kind: StatementKind): void => {
      requireStatement(this.#caller, kind);
      this.#work?.kinds.add(kind);
    };
    const { scope } = this.#caller;
    return { access, bookmarks, metadata, timeoutMs: allowedMs, database, isSystem, scope, admit };
  }

  #open(
    { timeoutMs, database }: { readonly timeoutMs: number; readonly database: string },
    { wishes }: TransactionStart,
  ): OpenWork {
    this.#work = new OpenWork({
      database,
      timeoutMs,
      wishes,
      onExpired: () => {
        if (!this.#isBusy) this.#work?.close();
      },
    });
    return this.#work;
  }

  #closeWork(): void {
    this.#work?.close();
    this.#work = undefined;
  }

  #home({ database }: TransactionStart): Metadata {
    const isNamed = database !== undefined;
    return !isNamed && isAtLeast(this.#parts.version, HOME_SINCE) ? { db: DEFAULT_DATABASE } : {};
  }
}

function unauthorized(): BoltFault {
  return new BoltFault(
    'Neo.ClientError.Security.Unauthorized',
    'missing or invalid API key: expected it as the password, or as a bearer token',
    { isFatal: true },
  );
}

function elapsedMs(sinceMs: number): number {
  return Math.round(performance.now() - sinceMs);
}
