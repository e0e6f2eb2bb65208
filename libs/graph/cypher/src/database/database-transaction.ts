import type { HangUp } from '#platform/foundation';
import { parseDatabaseStatement } from '../parser/parse.ts';
import type { StatementResult, StatementText, Transaction } from '../service/transaction.port.ts';
import type { DatabaseCommand } from '../syntax/database-command.ts';
import { runtimeFault } from '../syntax/fault.ts';

/** A command that a transaction has been given. */
export interface PreparedCommand {
  readonly result: StatementResult;
  /** Throws what stands against it. */
  readonly carryOut: () => Promise<void>;
}

/** A transaction of a database that may make or remove one instead, which is done at the commit. */
export class DatabaseTransaction implements Transaction {
  readonly #own: Transaction;
  readonly #prepare: (command: DatabaseCommand, statement: StatementText) => PreparedCommand;
  #hasRun = false;
  #prepared: PreparedCommand | undefined;

  constructor(
    own: Transaction,
    prepare: (command: DatabaseCommand, statement: StatementText) => PreparedCommand,
  ) {
    this.#own = own;
    this.#prepare = prepare;
  }

  get isOpen(): boolean {
    return this.#own.isOpen;
  }

  async run(statement: StatementText, hangUp: HangUp): Promise<StatementResult> {
    try {
      const command = parseDatabaseStatement(statement.text);
      if (this.#prepared !== undefined || (command !== undefined && this.#hasRun)) throw notAlone();
      this.#hasRun = true;
      if (command === undefined) return await this.#own.run(statement, hangUp);
      this.#prepared = this.#prepare(command, statement);
      return this.#prepared.result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  async commit(): Promise<string> {
    try {
      if (this.isOpen) await this.#prepared?.carryOut();
      return await this.#own.commit();
    } finally {
      this.rollback();
    }
  }

  rollback(): void {
    this.#own.rollback();
  }
}

function notAlone(): Error {
  return runtimeFault(
    'NotSupported',
    'Neo.ClientError.Transaction.ForbiddenDueToTransactionType',
    'a statement that makes or removes a database stands alone in its transaction',
  );
}
