import { type AskedMoment, type Graph, isOvertaken, parseSeqToken, SEQ_WAIT_MS } from '#graph/engine';
import { memoryMaxOf } from '#graph/execution';
import { DomainError, type HangUp } from '#platform/foundation';
import type { CollectedResult } from './collected-result.ts';
import { SchemaCatalogue } from '../schema/schema-catalogue.ts';
import type { ElementDocuments } from './element-documents.ts';
import { Expiry } from './expiry.ts';
import {
  isStreamed,
  OpenTransaction,
  type Running,
  type SharedParts,
  type TransactionParts,
} from './open-transaction.ts';
import { momentIn, type OpenOptions } from './past-transaction.ts';
import type { CompiledText } from './compile-text.ts';
import { StatementCache } from './statement-cache.ts';
import type {
  StatementResult,
  StatementText,
  Transaction,
  TransactionOptions,
  Transactions,
} from './transaction.port.ts';

/** What a door may add to a statement. */
export type DoorLimits = Pick<Running, 'admitRow'> & {
  /** Throws for columns that the door cannot show; before anything runs. */
  readonly admitColumns?: (names: readonly string[]) => void;
};

export interface DocumentedResult {
  readonly result: CollectedResult;
  readonly documents: ElementDocuments;
}

/** Throws CYPHER_SYNTAX before anything runs, CYPHER_FAILED for values, QUERY_TIMEOUT, TOO_BUSY. */
export class TransactionService implements Transactions {
  readonly #parts: SharedParts;

  constructor(parts: TransactionParts) {
    this.#parts = {
      ...parts,
      catalogue: new SchemaCatalogue(parts.graph.documents),
      statements: new StatementCache(parts.procedures),
      expiry: new Expiry(),
      memoryMax: memoryMaxOf(parts.settings),
    };
  }

  get graph(): Graph {
    return this.#parts.graph;
  }

  /** The same over another graph, in turns with it. */
  over(graph: Graph): TransactionService {
    const { scheduler, settings, clock, procedures } = this.#parts;
    return new TransactionService({ graph, scheduler, settings, clock, procedures });
  }

  async run(statement: StatementText, options: TransactionOptions, hangUp: HangUp): Promise<StatementResult> {
    const compiling = this.#parts.statements.compiled(statement.text, options.isSystem);
    const compiled = compiling instanceof Promise ? await compiling : compiling;
    const running = { parameters: statement.parameters, hangUp, isAlone: true } as const;
    if (!isStreamed(compiled)) return (await this.#collected(compiled, running, options)).result;
    const reading = options.access === 'read' ? options : ({ ...options, access: 'read' } as const);
    const opening = this.#open(reading, hangUp);
    const transaction = opening instanceof Promise ? await opening : opening;
    try {
      return transaction.stream(compiled, running, () => {
        transaction.rollback();
      });
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }

  /** The same, with the records of the elements in the rows. */
  async runForDocuments(
    { text, parameters }: StatementText,
    options: TransactionOptions,
    hangUp: HangUp,
    { admitColumns, admitRow }: DoorLimits = {},
  ): Promise<DocumentedResult> {
    const compiling = this.#parts.statements.compiled(text, options.isSystem);
    const compiled = compiling instanceof Promise ? await compiling : compiling;
    admitColumns?.(compiled.columns);
    return this.#collected(compiled, { parameters, hangUp, isAlone: true, admitRow }, options);
  }

  async #collected(
    compiled: CompiledText,
    running: Running,
    options: TransactionOptions,
  ): Promise<DocumentedResult> {
    const { clock, settings } = this.#parts;
    const deadlineMs = clock.monotonicMs() + Math.min(options.timeoutMs ?? Infinity, settings.queryTimeout);
    for (;;) {
      const timeoutMs = Math.max(0, deadlineMs - clock.monotonicMs());
      const access = compiled.kind === 'r' ? 'read' : options.access;
      const transaction = await this.#open({ ...options, access, timeoutMs }, running.hangUp);
      transaction.awaitClient();
      try {
        const result = await transaction.runCompiled(compiled, running);
        const committed = result.committed(await transaction.commit());
        return { result: committed, documents: transaction.documents };
      } catch (error) {
        // What IN TRANSACTIONS has committed stays: such a statement is not repeated.
        if (!isOvertaken(error) || transaction.hasWritten || clock.monotonicMs() > deadlineMs) throw error;
      }
    }
  }

  async begin(options: TransactionOptions, hangUp: HangUp): Promise<Transaction> {
    const transaction = await this.#open(options, hangUp);
    transaction.awaitClient();
    return transaction;
  }

  /** At once, where there is nothing to wait for. */
  #open(options: TransactionOptions, hangUp: HangUp): OpenTransaction | Promise<OpenTransaction> {
    const { bookmarks = [], asOf, metadata } = options;
    const asked = asOf ?? momentIn(metadata);
    const isReady = asked === undefined && bookmarks.length === 0 && this.#parts.catalogue.isLoaded;
    return isReady ? this.#opened(options, hangUp) : this.#openThen(options, asked, hangUp);
  }

  async #openThen(
    options: TransactionOptions,
    asked: AskedMoment | undefined,
    hangUp: HangUp,
  ): Promise<OpenTransaction> {
    for (const bookmark of options.bookmarks ?? []) {
      await this.#parts.graph.reachedPoint(parseSeqToken(bookmark), SEQ_WAIT_MS);
    }
    await this.#parts.catalogue.load();
    const { history } = this.#parts.graph;
    const past = asked && (await history.snapshotWithin(options.scope, history.momentOf(asked)));
    try {
      return this.#opened({ ...options, past }, hangUp);
    } catch (error) {
      past?.release();
      throw error;
    }
  }

  #opened(options: OpenOptions, hangUp: HangUp): OpenTransaction {
    if (!hangUp.aborted) return new OpenTransaction(this.#parts, options);
    throw new DomainError('QUERY_TIMEOUT', 'transaction not begun: the client has disconnected');
  }
}
