import pg from 'pg';
import type { StoreAddress, StoreHost } from './store-address.ts';
import { codeOf, reasonOf } from './sql-error.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const LOCK_TIMEOUT_MS = 60_000;
/** A process that was stopped within a transaction must not keep the others from writing for longer. */
const IDLE_TIMEOUT_MS = 5_000;
/** What the server does not tell of a connection that is gone, TCP does. */
const ANSWER_TIMEOUT_MS = 65_000;

export type Row = Readonly<Record<string, unknown>>;

/** No host takes writes now. */
export class Unreachable extends Error {
  /** Every host answered, and lets this user in to this database under no circumstances. */
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

/** No such user, another password, no such database, no right to connect. */
const FINAL = /^(?:28|3D000|42501)/;

/** One connection to the host that takes writes; of no use any more once a query has failed with `away`. */
export class Connection {
  readonly host: string;
  readonly #client: pg.Client;
  #isLost = false;
  #last: Promise<unknown> = Promise.resolve();

  /** Tries host after host. Throws {@link Unreachable}, which tells of each. */
  static async open(address: StoreAddress, name: string): Promise<Connection> {
    const refusals: Refusal[] = [];
    for (const host of address.hosts) {
      const opened = await tryHost(host, name);
      if (opened instanceof Connection) return opened;
      refusals.push(opened);
    }
    throw new Unreachable(refusals);
  }

  constructor(client: pg.Client, host: string) {
    this.#client = client;
    this.host = host;
    const lost = (): void => {
      this.#isLost = true;
    };
    client.on('error', lost);
    client.on('end', lost);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * Rows of one statement, once those before have ended. After an error of the connection there is no other
   * answer than errors.
   */
  query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const result = this.#last.then(() => this.#client.query<Row>({ text, values: [...values] }));
    this.#last = result.catch(() => undefined);
    return result.then(({ rows }) => rows);
  }

  /** Calls `listener` with the payload of each notification. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => {
      listener(payload);
    });
  }

  /** Calls `listener` once, when the connection is of no use any more. */
  onLost(listener: () => void): void {
    this.#client.once('end', listener);
  }

  /** Without a farewell that a dead host would not hear. */
  async close(): Promise<void> {
    this.#isLost = true;
    const ended = this.#client.end().catch(() => undefined);
    const timeout = setTimeout(() => this.#client.connection.stream.destroy(), CLOSE_TIMEOUT_MS).unref();
    await ended;
    clearTimeout(timeout);
  }

  /** At once: the server rolls back what was open. */
  abort(): void {
    this.#isLost = true;
    this.#client.connection.stream.destroy();
  }
}

const CLOSE_TIMEOUT_MS = 1_000;

async function tryHost(host: StoreHost, name: string): Promise<Connection | Refusal> {
  const client = new pg.Client({
    connectionString: host.url.reveal(),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    // A COMMIT that is cancelled while it waits for a standby counts as kept, and no standby has it.
    statement_timeout: 0,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    keepAlive: true,
    application_name: name,
  });
  const connection = new Connection(client, host.name);
  try {
    await client.connect();
    const [row] = await connection.query('SHOW transaction_read_only');
    if (row?.['transaction_read_only'] === 'off') return connection;
    await connection.close();
    return { host: host.name, reason: 'takes no writes' };
  } catch (error) {
    connection.abort();
    return { host: host.name, reason: reasonOf(error), code: codeOf(error) };
  }
}
