import { parseSeqToken, SEQ_WAIT_MS } from '#graph/engine';
import { DomainError, type HangUp } from '#platform/foundation';
import type { CollectedResult } from './collected-result.ts';
import { compileText } from './compile-text.ts';
import { OpenTransaction, type Running, type TransactionParts } from './open-transaction.ts';
import type { StatementText, Transaction, TransactionOptions, Transactions } from './transaction.port.ts';

/** What a door may add to a statement. */
export type DoorLimits = Pick<Running, 'admitRow'> & {
  /** Throws for columns that the door cannot show; before anything runs. */
  readonly admitColumns?: (names: readonly string[]) => void;
};

/** Throws CYPHER_SYNTAX before anything runs, CYPHER_FAILED for values, QUERY_TIMEOUT, TOO_BUSY. */
export class TransactionService implements Transactions {
  readonly #parts: TransactionParts;

  constructor(parts: TransactionParts) {
    this.#parts = parts;
  }

  async run(
    { text, parameters }: StatementText,
    options: TransactionOptions,
    hangUp: HangUp,
    { admitColumns, admitRow }: DoorLimits = {},
  ): Promise<CollectedResult> {
    const compiled = compileText(text);
    admitColumns?.((compiled.query.columns ?? []).map(({ name }) => name));
    const transaction = await this.#open(options, hangUp);
    const result = await transaction.runCompiled(compiled, { parameters, hangUp, admitRow });
    return result.committed(await transaction.commit());
  }

  begin(options: TransactionOptions, hangUp: HangUp): Promise<Transaction> {
    return this.#open(options, hangUp);
  }

  async #open(options: TransactionOptions, hangUp: HangUp): Promise<OpenTransaction> {
    for (const bookmark of options.bookmarks ?? []) {
      await this.#parts.graph.reachedPoint(parseSeqToken(bookmark), SEQ_WAIT_MS);
    }
    if (!hangUp.aborted) return new OpenTransaction(this.#parts, options);
    throw new DomainError('QUERY_TIMEOUT', 'transaction not begun: the client has disconnected');
  }
}
