/** `CALL { … } IN TRANSACTIONS OF n ROWS`: what the rows have changed is committed after each n of them. */
import { DomainError } from '#platform/foundation';
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import type { Rows } from '../expression/subqueries.ts';
import { extended, type Row, type Run } from '../graph/run.ts';
import { compileCount } from '../stage/limit.ts';
import { single, type Stage } from '../stage/stage.ts';
import type { TransactionsOf } from '../syntax/ast.ts';
import { runtimeFault } from '../syntax/fault.ts';
import type { Value } from '../value/value.ts';
import { wholly } from './updated.ts';

const ROWS_DEFAULT = 1_000;

interface Call {
  readonly stage: Stage;
  /** What becomes of a row whose transaction has failed. */
  readonly withNulls: (row: Row) => Row;
  /** Of REPORT STATUS. */
  readonly statusSlot: number | undefined;
}

export function inTransactions(call: Call, { rows, onError }: TransactionsOf, parts: CompilerParts): Stage {
  const count = rows === undefined ? undefined : compileCount('OF', rows, new ExpressionCompiler(parts));
  return wholly(function* (input, run) {
    if (run.requestCommit === undefined) throw nestedFault();
    const size = Math.max(1, count?.(run) ?? ROWS_DEFAULT);
    const batches = new Batches(call, onError, run);
    let batch: Row[] = [];
    for (const row of input) {
      if (row === undefined) {
        yield undefined;
        continue;
      }
      batch.push(row);
      if (batch.length < size) continue;
      yield* batches.run(batch);
      batch = [];
    }
    if (batch.length > 0) yield* batches.run(batch);
  });
}

class Batches {
  readonly #call: Call;
  readonly #onError: TransactionsOf['onError'];
  readonly #run: Run;
  #started = 0;
  #isBroken = false;

  constructor(call: Call, onError: TransactionsOf['onError'], run: Run) {
    this.#call = call;
    this.#onError = onError;
    this.#run = run;
    if (onError !== 'fail') run.writer?.mark();
  }

  /** The rows of a batch, after its commit. */
  *run(batch: readonly Row[]): Rows {
    if (this.#isBroken) {
      yield* this.#failed(batch, undefined);
      return;
    }
    this.#started++;
    const results: Row[] = [];
    let failure: unknown;
    try {
      yield* this.#resultsOf(batch, results);
      this.#run.requestCommit?.(this.#onError === 'fail' ? undefined : (error) => (failure = error));
      yield undefined;
    } catch (error) {
      failure = error;
    }
    if (failure === undefined) {
      if (this.#onError !== 'fail') this.#run.writer?.mark();
      for (const row of results) yield this.#withStatus(row, { isStarted: true, isCommitted: true });
    } else yield* this.#failed(batch, this.#recovered(failure));
  }

  *#resultsOf(batch: readonly Row[], results: Row[]): Rows {
    for (const row of batch) {
      for (const found of this.#call.stage(single(row), this.#run)) {
        if (found === undefined) yield undefined;
        else {
          results.push(found);
          this.#run.keep(found);
        }
      }
    }
  }

  /** The message of a failure that other batches do not share; throws any other one. */
  #recovered(failure: unknown): string {
    const isOwn =
      failure instanceof DomainError && (failure.code === 'CYPHER_FAILED' || failure.code === 'CONFLICT');
    if (this.#onError === 'fail' || !isOwn) throw failure;
    this.#run.writer?.revert();
    this.#isBroken = this.#onError === 'break';
    return failure.message;
  }

  *#failed(batch: readonly Row[], message: string | undefined): Rows {
    const status = { isStarted: message !== undefined, isCommitted: false, message };
    for (const row of batch) yield this.#withStatus(this.#call.withNulls(row), status);
  }

  #withStatus(
    row: Row,
    status: {
      readonly isStarted: boolean;
      readonly isCommitted: boolean;
      readonly message?: string | undefined;
    },
  ): Row {
    const { statusSlot } = this.#call;
    if (statusSlot === undefined) return row;
    const map = new Map<string, Value>([
      ['started', status.isStarted],
      ['committed', status.isCommitted],
      ['transactionId', status.isStarted ? `neo4j-transaction-${String(this.#started)}` : null],
      ['errorMessage', status.message ?? null],
    ]);
    return extended(row, statusSlot, map);
  }
}

function nestedFault(): Error {
  return runtimeFault(
    'NotSupported',
    'Neo.ClientError.Statement.SemanticError',
    'CALL { … } IN TRANSACTIONS needs a statement that is a transaction of its own',
  );
}
