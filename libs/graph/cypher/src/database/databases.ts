/**
 * The databases of a server: the default one, and those that CREATE DATABASE makes. These are opened when
 * they are asked for, and closed when they rest.
 */
import { type NamedGraphs, type Graph, parseSeqToken, seqToken } from '#graph/engine';
import { DomainError, type HangUp } from '#platform/foundation';
import { UNCHANGED } from '../overlay/counters.ts';
import { parseDatabaseStatement } from '../parser/parse.ts';
import { SnapshotGraph } from '../graph/snapshot-graph.ts';
import { CollectedResult } from '../service/collected-result.ts';
import { durablePoint } from '../service/ground.ts';
import { readingFault } from '../service/past-transaction.ts';
import type { TransactionService } from '../service/transaction-service.ts';
import type {
  StatementResult,
  StatementText,
  DatabaseTransactions,
  Transaction,
  TransactionOptions,
} from '../service/transaction.port.ts';
import {
  type DatabaseCommand,
  DEFAULT_DATABASE,
  DEFAULT_NAMES,
  newDatabaseName,
  SYSTEM_DATABASE,
} from '../syntax/database-command.ts';
import { runtimeFault } from '../syntax/fault.ts';
import type { DatabaseList } from './database-list.ts';
import { DatabaseTransaction, type PreparedCommand } from './database-transaction.ts';

/** Further ones are refused: an open one takes memory, files and threads of its own. */
const DATABASES_MAX = 100;
/** How long a database without statements stays open. */
const REST_MS = 15 * 60_000;
const LOOK_MS = 60_000;

export interface DatabasesParts {
  /** Of the default database. */
  readonly main: TransactionService;
  readonly list: DatabaseList;
  readonly graphs: NamedGraphs;
}

interface OpenDatabase {
  readonly transactions: TransactionService;
  usedMs: number;
}

export class Databases implements DatabaseTransactions {
  readonly #parts: DatabasesParts;
  readonly #open = new Map<string, OpenDatabase>();
  /** Of all databases: their bookmarks are known to be of others. */
  readonly #epochs = new Set<string>();
  /** What opens, closes, makes or removes a database; one after another. */
  #changing: Promise<unknown> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  /** Finds the databases that there are. */
  static async find(parts: DatabasesParts): Promise<Databases> {
    const databases = new Databases(parts);
    for (const name of await parts.graphs.names()) {
      parts.list.names.add(name);
      const epoch = await parts.graphs.epochOf(name);
      if (epoch !== undefined) databases.#epochs.add(epoch);
    }
    return databases;
  }

  private constructor(parts: DatabasesParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      void this.closeResting(performance.now());
    }, LOOK_MS).unref();
  }

  /** The name by which a database is known; throws CYPHER_FAILED if there is none of that name. */
  nameOf(asked: string | undefined): string {
    const name = asked?.toLowerCase() ?? DEFAULT_DATABASE;
    if (DEFAULT_NAMES.has(name)) return DEFAULT_DATABASE;
    if (this.#has(name)) return name;
    throw notFound(asked ?? name);
  }

  async run(statement: StatementText, options: TransactionOptions, hangUp: HangUp): Promise<StatementResult> {
    const command = parseDatabaseStatement(statement.text);
    if (command !== undefined) {
      const { result, carryOut } = this.#prepared(command, statement, options);
      await carryOut();
      return result;
    }
    const { transactions, own } = await this.#of(options);
    return transactions.run(statement, own, hangUp);
  }

  async begin(options: TransactionOptions, hangUp: HangUp): Promise<Transaction> {
    const { transactions, own } = await this.#of(options);
    return new DatabaseTransaction(await transactions.begin(own, hangUp), (command, statement) =>
      this.#prepared(command, statement, options),
    );
  }

  /** Closes those that had no statement for a quarter of an hour; `nowMs` is monotonic. */
  closeResting(nowMs: number): Promise<void> {
    return this.#inTurn(async () => {
      for (const [name, { transactions, usedMs }] of [...this.#open])
        if (nowMs - usedMs >= REST_MS && transactions.graph.openSnapshots === 0) await this.#close(name);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#inTurn(async () => {
      for (const name of [...this.#open.keys()]) await this.#close(name);
    });
  }

  async #of(
    options: TransactionOptions,
  ): Promise<{ readonly transactions: TransactionService; readonly own: TransactionOptions }> {
    const { main, list } = this.#parts;
    const name = this.nameOf(options.database);
    const isMain = name === DEFAULT_DATABASE || name === SYSTEM_DATABASE;
    if (isMain && list.names.size + this.#epochs.size === 0) return { transactions: main, own: options };
    const transactions = isMain ? main : (await this.#opened(name)).transactions;
    const { graph } = transactions;
    const bookmarks = options.bookmarks?.filter((bookmark) => !this.#isOfOther(bookmark, graph));
    return { transactions, own: { ...options, bookmarks } };
  }

  /** What another database of this server has confirmed is there: drivers hand all their bookmarks on. */
  #isOfOther(bookmark: string, { epoch: own }: Graph): boolean {
    const { epoch } = parseSeqToken(bookmark);
    return epoch !== own && (epoch === this.#parts.main.graph.epoch || this.#epochs.has(epoch));
  }

  async #opened(name: string): Promise<OpenDatabase> {
    const database = this.#open.get(name) ?? (await this.#inTurn(() => this.#openedNow(name)));
    database.usedMs = performance.now();
    return database;
  }

  async #openedNow(name: string): Promise<OpenDatabase> {
    const open = this.#open.get(name);
    if (open !== undefined) return open;
    if (this.#isClosed) throw new DomainError('STORE_UNAVAILABLE', 'the server is ending');
    if (!this.#parts.list.names.has(name)) throw notFound(name);
    return this.#add(name, await this.#parts.graphs.open(name));
  }

  #add(name: string, graph: Graph): OpenDatabase {
    const opened = { transactions: this.#parts.main.over(graph), usedMs: performance.now() };
    this.#epochs.add(graph.epoch);
    this.#open.set(name, opened);
    return opened;
  }

  async #close(name: string): Promise<void> {
    const open = this.#open.get(name);
    this.#open.delete(name);
    await open?.transactions.graph.close();
  }

  #prepared(
    command: DatabaseCommand,
    { parameters }: StatementText,
    { admit, access, scope }: TransactionOptions,
  ): PreparedCommand {
    admit?.('s');
    if (scope !== undefined) throw new DomainError('FORBIDDEN', 'a key with a scope makes no databases');
    if (access === 'read') throw readingFault();
    const name = nameIn(command, parameters);
    const carryOut = (): Promise<void> =>
      this.#inTurn(() =>
        command.verb === 'create' ? this.#create(name, command) : this.#drop(name, command),
      );
    return { result: this.#done(command, name), carryOut };
  }

  async #create(asked: string, { isLenient, isReplacing }: DatabaseCommand): Promise<void> {
    const { list, graphs } = this.#parts;
    const isThere = this.#has(asked);
    if (isThere && isLenient) return;
    if (isThere && !isReplacing)
      throw runtimeFault(
        'InvalidArgumentValue',
        'Neo.ClientError.Database.ExistingDatabaseFound',
        `there is a database ${asked} already`,
      );
    requireOther(asked);
    const name = newDatabaseName(asked);
    if (isThere) await this.#remove(name);
    if (list.names.size >= DATABASES_MAX)
      throw runtimeFault(
        'InvalidArgumentValue',
        'Neo.ClientError.Database.DatabaseLimitReached',
        `expected at most ${DATABASES_MAX} databases beside the default one`,
      );
    this.#add(name, await graphs.make(name));
    list.names.add(name);
  }

  async #drop(asked: string, { isLenient }: DatabaseCommand): Promise<void> {
    requireOther(asked);
    const name = asked.toLowerCase();
    if (this.#parts.list.names.has(name)) await this.#remove(name);
    else if (!isLenient) throw notFound(asked);
  }

  #has(asked: string): boolean {
    return isOwn(asked) || this.#parts.list.names.has(asked.toLowerCase());
  }

  async #remove(name: string): Promise<void> {
    const { list, graphs } = this.#parts;
    list.names.delete(name);
    await this.#close(name);
    await graphs.remove(name);
  }

  #done({ waits }: DatabaseCommand, name: string): CollectedResult {
    const { graph } = this.#parts.main;
    const snapshot = graph.snapshot();
    snapshot.release();
    return new CollectedResult({
      columns: waits ? ['address', 'state', 'message', 'success'] : [],
      rows: waits ? [['', 'CaughtUp', `${name} has changed`, true]] : [],
      graph: new SnapshotGraph(snapshot),
      summary: {
        kind: 's',
        counters: UNCHANGED,
        notifications: [],
        bookmark: seqToken(durablePoint(graph)),
      },
    });
  }

  /** What changes databases runs one after another. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }
}

function nameIn({ name }: DatabaseCommand, parameters: StatementText['parameters']): string {
  if ('text' in name) return name.text;
  const value = parameters.get(name.parameter);
  if (typeof value === 'string') return value;
  throw runtimeFault(
    'MissingParameter',
    'Neo.ClientError.Statement.ParameterMissing',
    `expected the name of a database as the parameter $${name.parameter}`,
  );
}

function notFound(name: string): DomainError {
  return runtimeFault(
    'InvalidArgumentValue',
    'Neo.ClientError.Database.DatabaseNotFound',
    `there is no database ${name}`,
  );
}

/** Whether a name is of a database that is always there. */
function isOwn(name: string): boolean {
  return DEFAULT_NAMES.has(name.toLowerCase()) || name.toLowerCase() === SYSTEM_DATABASE;
}

function requireOther(name: string): void {
  if (!isOwn(name)) return;
  throw runtimeFault(
    'NotSupported',
    'Neo.ClientError.Statement.UnsupportedAdministrationCommand',
    `the database ${name} stays: delete what is in it`,
  );
}
