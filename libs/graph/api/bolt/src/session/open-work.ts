/** What a session has open: a transaction, or a statement alone, and the results. */
import type { StatementKind, Transaction } from '#graph/cypher';
import { BoltFault, invalidRequest } from '../failure/bolt-fault.ts';
import type { NotificationWishes } from '../message/notification-wishes.ts';
import type { ResultStream } from './result-stream.ts';

export interface OpenWorkParts {
  readonly database: string;
  readonly timeoutMs: number;
  readonly wishes: NotificationWishes;
  /** Called once the time is over, if the work is still open. */
  readonly onExpired: () => void;
}

/** Ends by {@link close}. The time limit holds whatever the client does. */
export class OpenWork {
  /** Undefined for a statement alone. */
  transaction: Transaction | undefined;
  /** Stops a running statement at once. */
  readonly stop = new AbortController();
  readonly wishes: NotificationWishes;
  readonly database: string;
  /** The kinds of its statements: each asks something of the caller. */
  readonly kinds = new Set<StatementKind>();
  readonly #timer: NodeJS.Timeout;
  readonly #streams = new Map<number, ResultStream>();
  #queries = 0;
  #isClosed = false;

  constructor({ database, timeoutMs, wishes, onExpired }: OpenWorkParts) {
    this.database = database;
    this.wishes = wishes;
    this.#timer = setTimeout(() => {
      this.stop.abort(timedOut(timeoutMs));
      onExpired();
    }, timeoutMs);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  add(stream: ResultStream): number {
    const query = this.#queries++;
    this.#streams.set(query, stream);
    return query;
  }

  get streams(): Iterable<ResultStream> {
    return this.#streams.values();
  }

  /** −1 for the last statement. */
  stream(query: number): { readonly query: number; readonly stream: ResultStream } {
    const at = query < 0 ? this.#queries - 1 : query;
    const stream = this.#streams.get(at);
    if (stream !== undefined) return { query: at, stream };
    throw invalidRequest(`expected qid to be that of a statement with an open result, got ${query}`);
  }

  finish(query: number): void {
    this.#streams.get(query)?.close();
    this.#streams.delete(query);
  }

  /** Nothing is kept of what was not committed. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const query of [...this.#streams.keys()]) this.finish(query);
    this.transaction?.rollback();
  }
}

function timedOut(timeoutMs: number): BoltFault {
  return new BoltFault(
    'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration',
    `the transaction has not been completed within ${timeoutMs} ms and was rolled back: set a longer time-out, or do less in it`,
  );
}
