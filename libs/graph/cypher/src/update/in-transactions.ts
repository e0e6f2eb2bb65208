/** `CALL { … } IN TRANSACTIONS OF n ROWS`: what the rows have changed is committed after each n of them. */
import { type CompilerParts, ExpressionCompiler } from '../expression/compile-expression.ts';
import { compileCount } from '../stage/limit.ts';
import { single, type Stage } from '../stage/stage.ts';
import type { Expression } from '../syntax/ast.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { wholly } from './updated.ts';

const ROWS_DEFAULT = 1_000;

export function inTransactions(stage: Stage, rows: Expression | undefined, parts: CompilerParts): Stage {
  const count = rows === undefined ? undefined : compileCount('OF', rows, new ExpressionCompiler(parts));
  return wholly(function* (input, run) {
    const { requestCommit } = run;
    if (requestCommit === undefined) throw nestedFault();
    const size = Math.max(1, count?.(run) ?? ROWS_DEFAULT);
    let open = 0;
    for (const row of input) {
      if (row === undefined) {
        yield undefined;
        continue;
      }
      yield* stage(single(row), run);
      if (++open % size !== 0) continue;
      requestCommit();
      yield undefined;
    }
    if (open % size === 0) return;
    requestCommit();
    yield undefined;
  });
}

function nestedFault(): Error {
  return runtimeFault(
    'NotSupported',
    'Neo.ClientError.Statement.SemanticError',
    'CALL { … } IN TRANSACTIONS needs a statement that is a transaction of its own',
  );
}
