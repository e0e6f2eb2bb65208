/** SKIP and LIMIT: integers that are not negative and do not depend on rows. */
import type { ExpressionCompiler } from '../expression/compile-expression.ts';
import { allParts } from '../expression/parts.ts';
import type { Rows } from '../expression/subqueries.ts';
import type { Run } from '../graph/run.ts';
import type { Expression } from '../syntax/ast.ts';
import { runtimeFault, SyntaxFault } from '../syntax/fault.ts';
import { typeName } from '../value/value.ts';
import type { Stage } from './stage.ts';

export type Count = (run: Run) => number;

export function compileCount(name: string, expression: Expression, compiler: ExpressionCompiler): Count {
  for (const part of allParts(expression)) {
    if (part.kind !== 'variable') continue;
    const message = `${name} does not depend on variables`;
    throw new SyntaxFault('NonConstantExpression', expression.span, message);
  }
  if (expression.kind === 'literal') refuseLiteral(name, expression);
  const evaluate = compiler.compile(expression);
  return (run) => {
    const value = evaluate([], run);
    if (typeof value === 'bigint' && value >= 0n) return Number(value);
    const code = 'Neo.ClientError.Statement.ArgumentError';
    const got = typeof value === 'bigint' ? String(value) : typeName(value);
    const message = `expected an integer after ${name} that is not negative, got ${got}`;
    throw runtimeFault(
      typeof value === 'bigint' ? 'NegativeIntegerArgument' : 'InvalidArgumentType',
      code,
      message,
    );
  };
}

function refuseLiteral(name: string, { value, span }: Extract<Expression, { kind: 'literal' }>): void {
  if (typeof value === 'bigint' && value >= 0n) return;
  const message = `expected an integer after ${name} that is not negative`;
  const kind = typeof value === 'bigint' ? 'NegativeIntegerArgument' : 'InvalidArgumentType';
  throw new SyntaxFault(kind, span, message);
}

export function skipped(count: Count): Stage {
  return function* (input, run) {
    let left = count(run);
    for (const row of input) {
      if (row === undefined || left <= 0) yield row;
      else {
        left--;
        if (run.isPauseDue()) yield undefined;
      }
    }
  };
}

export function limited(count: Count): Stage {
  return function* (input, run) {
    let left = count(run);
    if (left === 0) {
      yield* changesOf(input, run);
      return;
    }
    for (const row of input) {
      yield row;
      if (row !== undefined && --left === 0) return;
    }
  };
}

/** What changes the graph has done so when its first row comes, also where that is not wanted. */
function* changesOf(input: Rows, { writer }: Run): Rows {
  if (writer === undefined) return;
  for (const row of input) {
    if (row !== undefined) return;
    yield undefined;
  }
}
