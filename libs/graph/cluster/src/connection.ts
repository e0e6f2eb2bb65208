import { connect } from 'node:net';
import pg from 'pg';
import { type KnownStatements, Pipeline, type Row } from './pipeline.ts';
import { prepared, type Statement, type StatementKeeping } from './prepared-statements.ts';
import type { StoreAddress, StoreHost } from './store-address.ts';
import { codeOf, reasonOf } from './sql-error.ts';
import { isLater, type Place, placeOf, type Timelines } from './timelines.ts';

const CONNECT_TIMEOUT_MS = 2_000;
/** Includes the first queries. */
const OPEN_TIMEOUT_MS = 2 * CONNECT_TIMEOUT_MS;
const LOCK_TIMEOUT_MS = 60_000;
/** A database that gives no answer for so long, to a query that waits for nothing, is unreachable. */
export const SILENCE_MS = 2_500;
const SILENCE_CHECK_MS = 250;
/** Limits how long a process that is frozen inside a transaction blocks the other writers. */
const IDLE_TIMEOUT_MS = 5_000;
/** A backend that waits for a lock ends with its client. */
const WATCH_CLIENT = `SET client_connection_check_interval = '1s'`;
/** TCP keep-alive detects connections that disappeared without a FIN. */
const ANSWER_TIMEOUT_MS = 65_000;

/** The setting holds for this COMMIT only. */
const RELEASE = ['SET LOCAL synchronous_commit = off', 'COMMIT'].map((text) => prepared(text).with([]));

/** SQLSTATE of a warning, above all that a commit is local because its wait for a standby was cancelled. */
const UNCONFIRMED = '01000';

/** A commit that neither the disk nor a standby may have: its outcome is unknown. */
export class Unconfirmed extends Error {
  constructor(cause?: unknown) {
    super('the database has not confirmed a commit', { cause });
  }
}

/** No host accepts writes now. */
export class Unreachable extends Error {
  /** Every host answered and refused this user for good. */
  readonly isFinal: boolean;

  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ host, reason }) => `${host}: ${reason}`).join('; '));
    this.isFinal = refusals.every(({ code = '' }) => FINAL.test(code));
  }
}

interface Refusal {
  readonly host: string;
  readonly reason: string;
  readonly code?: string | undefined;
}

/** Unknown user, wrong password, unknown database, missing right to connect. */
const FINAL = /^(?:28|3D000|42501)/;

export interface ConnectionOptions {
  /** Refuse hosts on lower timelines than the ones seen before. */
  readonly timelines?: Timelines;
  /**
   * A connection is aborted when a query gets no answer for this time, or for {@link SILENCE_MS} while
   * `isAway`; a query that may have to wait for others ends it only after `silenceMs` while `isAway`.
   */
  readonly silenceMs?: number;
  /** Whether the database is known to give no answers. */
  readonly isAway?: () => boolean;
  /** Limits the wait for a row lock. */
  readonly lockTimeoutMs?: number;
  /** Without it no statement is prepared. */
  readonly keeping?: StatementKeeping;
}

/** The query whose answer is awaited. */
interface Pending {
  readonly isWaiting: boolean;
  /** Bytes received so far, and since when no more. */
  bytes: number;
  sinceMs: number;
}

/** One connection to the host that accepts writes; unusable once a query has failed with `away`. */
export class Connection {
  readonly host: string;
  readonly #client: pg.Client;
  #place: Place | undefined;
  #isLost = false;
  #pending: Pending | undefined;
  /** Why this side has given the connection up. */
  #silence: string | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Warnings of the server so far. */
  #warnings = 0;
  #keeping: StatementKeeping | undefined;
  readonly #known: KnownStatements = new Map();

  /**
   * Tries all hosts; of several that accept writes, the one on the highest timeline is used, else the first.
   * With `timelines`, a host on a lower timeline than one seen before is refused. Throws {@link Unreachable},
   * which lists the error of each host.
   */
  static async open(
    address: StoreAddress,
    name: string,
    options: ConnectionOptions = {},
  ): Promise<Connection> {
    const tried = await Promise.all(address.hosts.map((host) => tryHost(host, name, options)));
    const opened = tried.filter((each) => each instanceof Connection);
    const [first, ...others] = opened;
    if (first === undefined)
      throw new Unreachable(tried.filter((each): each is Refusal => !(each instanceof Connection)));
    const best = others.reduce((one, other) => (isLater(other.place, one.place) ? other : one), first);
    options.timelines?.note(best.place);
    best.#keeping = options.keeping;
    best.#supervise(options);
    await Promise.all(opened.filter((each) => each !== best).map((each) => each.close()));
    return best;
  }

  constructor(client: pg.Client, host: string) {
    this.#client = client;
    this.host = host;
    const lost = (): void => {
      this.#isLost = true;
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notice', ({ code }) => {
      if (code === UNCONFIRMED) this.#warnings++;
    });
  }

  /** Of its host when it was opened; undefined if the server does not show it. */
  get place(): Place | undefined {
    return this.#place;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Runs one statement after the previous ones. After a connection error, every call fails. */
  query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#queued(false, text, values);
  }

  /**
   * The same for a statement that may have to wait: for a row lock, a standby, or a long transfer. Fails with
   * {@link Unconfirmed} if the wait of its commit for a standby was cancelled.
   */
  wait(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#queued(true, text, values);
  }

  /** The same for several statements in one message; resolves to the rows of each. */
  waitAll(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.#asked(true, () => this.#pipeline(statements).answer);
  }

  /**
   * Sends a COMMIT behind statements, which waits for no disk and no standby, so that its locks are free at
   * once; and behind it `confirmation`, a commit that waits for them, and confirms it too. All of that is one
   * round trip. Resolves to the rows of the first statement. Fails with the error of a transaction that is
   * rolled back, or with {@link Unconfirmed}.
   */
  async commit(statements: readonly Statement[], confirmation: Statement): Promise<readonly Row[]> {
    const before = [...statements, ...RELEASE];
    const rows = await this.#asked(true, async () => {
      const pipeline = this.#pipeline([...before, confirmation]);
      try {
        return await pipeline.answer;
      } catch (error) {
        // Whatever its error is, the commit before it took place.
        throw pipeline.executed < before.length ? error : new Unconfirmed(error);
      }
    });
    return rows[0] ?? [];
  }

  /** Why its host must not be used; undefined if it may be. */
  async refusal(timelines: Timelines | undefined): Promise<string | undefined> {
    const [row] = await this.query('SHOW transaction_read_only');
    if (row?.['transaction_read_only'] !== 'off') return 'takes no writes';
    this.#place = await (timelines?.placeOf(this) ?? placeOf(this));
    return timelines?.refusalOf(this.#place);
  }

  /** Calls `listener` with the payload of each notification. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => {
      listener(payload);
    });
  }

  /** Calls `listener` once, when the connection becomes unusable. */
  onLost(listener: () => void): void {
    this.#client.once('end', listener);
  }

  /** Does not send a Terminate message: a dead host would not read it. */
  async close(): Promise<void> {
    this.#isLost = true;
    const ended = this.#client.end().catch(() => undefined);
    const timeout = setTimeout(() => this.#client.connection.stream.destroy(), CLOSE_TIMEOUT_MS).unref();
    await ended;
    clearTimeout(timeout);
  }

  /** Of several statements, the rows of the last one. */
  async #queued(isWaiting: boolean, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const rows = await this.#asked(isWaiting, async () =>
      rowsOf(await this.#client.query<Row>({ text, values: [...values] })),
    );
    return rows.at(-1) ?? [];
  }

  #asked<T>(isWaiting: boolean, answer: () => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => {
      this.#pending = { isWaiting, bytes: this.#bytesRead, sinceMs: performance.now() };
      const warnings = this.#warnings;
      try {
        const rows = await answer();
        if (isWaiting && this.#warnings > warnings) throw new Unconfirmed();
        return rows;
      } catch (error) {
        this.#keeping?.note(error);
        throw this.#silence === undefined ? error : new Error(this.#silence, { cause: error });
      } finally {
        this.#pending = undefined;
      }
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  #pipeline(statements: readonly Statement[]): Pipeline {
    const isKept = this.#keeping?.isKept === true;
    const sent = isKept ? statements : statements.map(({ text, values = [] }) => ({ text, values }));
    return this.#client.query(new Pipeline(sent, this.#known));
  }

  #supervise({ silenceMs, isAway = () => false }: ConnectionOptions): void {
    if (silenceMs === undefined) return;
    const check = (): void => {
      const pending = this.#pending;
      if (pending === undefined) return;
      const bytes = this.#bytesRead;
      if (bytes !== pending.bytes) Object.assign(pending, { bytes, sinceMs: performance.now() });
      const isKnownAway = isAway();
      if (pending.isWaiting && !isKnownAway) return;
      const limitMs = isKnownAway && !pending.isWaiting ? Math.min(silenceMs, SILENCE_MS) : silenceMs;
      if (performance.now() - pending.sinceMs < limitMs) return;
      this.#silence = `no answer for ${String(limitMs)} ms`;
      this.abort();
    };
    // After a pause of this process, answers that have arrived meanwhile are read first.
    const timer = setInterval(() => setImmediate(check), SILENCE_CHECK_MS).unref();
    this.onLost(() => {
      clearInterval(timer);
    });
  }

  get #bytesRead(): number {
    const { stream } = this.#client.connection;
    return 'bytesRead' in stream ? Number(stream.bytesRead) : 0;
  }

  /**
   * Also asks the server to end the pending statement, which it may otherwise continue for a client that has
   * gone. A commit that waits for a standby becomes visible by that; it counts only once it is confirmed.
   */
  async giveUp(): Promise<void> {
    const { host, port } = this.#client;
    const [process, key] = [idOf(this.#client, 'processID'), idOf(this.#client, 'secretKey')];
    this.abort();
    if (process === undefined || key === undefined) return;
    const request = Buffer.alloc(CANCEL_BYTES);
    for (const [at, value] of [CANCEL_BYTES, CANCEL_CODE, process, key].entries())
      request.writeInt32BE(value, INT_BYTES * at);
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${String(port)}`) : connect(port, host);
    socket.setTimeout(CLOSE_TIMEOUT_MS, () => socket.destroy()).unref();
    await new Promise<void>((resolve) => {
      socket
        .on('error', () => undefined)
        .on('close', () => {
          resolve();
        });
      socket.end(request);
    });
  }

  /** Closes the socket at once; the server rolls an open transaction back. */
  abort(): void {
    this.#isLost = true;
    this.#client.connection.stream.destroy();
  }
}

const CLOSE_TIMEOUT_MS = 1_000;
/** PostgreSQL's CancelRequest: length, code, process and key. */
const INT_BYTES = 4;
const CANCEL_BYTES = 16;
const CANCEL_CODE = 80_877_102;

/** The driver's types lack it; undefined before the server has told it. */
function idOf(client: pg.Client, name: 'processID' | 'secretKey'): number | undefined {
  const value: unknown = Reflect.get(client, name);
  return typeof value === 'number' ? value : undefined;
}

/** The driver gives the result of one statement, or a list of those of several. */
function rowsOf(result: pg.QueryResult<Row> | readonly pg.QueryResult<Row>[]): readonly (readonly Row[])[] {
  return 'rows' in result ? [result.rows] : result.map(({ rows }) => rows);
}

async function tryHost(
  host: StoreHost,
  name: string,
  { timelines, lockTimeoutMs = LOCK_TIMEOUT_MS }: ConnectionOptions,
): Promise<Connection | Refusal> {
  let client: pg.Client;
  try {
    client = new pg.Client({
      connectionString: host.url.reveal(),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      // A COMMIT cancelled while it waits for a standby counts as committed although no standby has it.
      statement_timeout: 0,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
      keepAlive: true,
      // A statement does not wait for the answer to the one before.
      pipeline: true,
      application_name: name,
    });
  } catch (error) {
    // It reads the certificates that the address names.
    return { host: host.name, reason: reasonOf(error) };
  }
  const connection = new Connection(client, host.name);
  // A frozen host accepts the connection and does not answer.
  const timeout = setTimeout(() => {
    connection.abort();
  }, OPEN_TIMEOUT_MS);
  try {
    await client.connect();
    const reason = await connection.refusal(timelines);
    // Not in the start-up parameters: older and other servers do not have it.
    if (reason === undefined) await connection.query(WATCH_CLIENT).catch(() => undefined);
    if (reason === undefined) return connection;
    await connection.close();
    return { host: host.name, reason };
  } catch (error) {
    connection.abort();
    return { host: host.name, reason: reasonOf(error), code: codeOf(error) };
  } finally {
    clearTimeout(timeout);
  }
}
