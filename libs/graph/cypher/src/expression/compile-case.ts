/** CASE: the first branch with a condition that holds, or with a test that its subject passes. */
import type { Evaluate, Row, Run } from '../graph/run.ts';
import { normalTest } from '../function/text-functions.ts';
import type { CaseExpression, CaseTest, Expression } from '../syntax/ast.ts';
import { hasType } from '../value/value-type.ts';
import type { Value } from '../value/value.ts';
import { truthOf } from './logic.ts';
import { applyBinary, compareBy } from './operators.ts';

/** Of the subject, which is null where there is none; anything but true is no match. */
type Test = (subject: Value, row: Row, run: Run) => Value;

export function compileCase(
  { subject, branches, otherwise }: CaseExpression,
  compile: (expression: Expression) => Evaluate,
): Evaluate {
  const compiled = branches.map(({ tests, then }) => ({
    tests: tests.map((test) => compileTest(test, compile)),
    then: compile(then),
  }));
  const rest = otherwise === undefined ? () => null : compile(otherwise);
  const evaluate = subject === undefined ? () => null : compile(subject);
  return (row, run) => {
    const value = evaluate(row, run);
    const found = compiled.find(({ tests }) => tests.some((test) => test(value, row, run) === true));
    return (found?.then ?? rest)(row, run);
  };
}

function compileTest(test: CaseTest, compile: (expression: Expression) => Evaluate): Test {
  switch (test.kind) {
    case 'condition': {
      const condition = compile(test.value);
      return (_, row, run) => truthOf(condition(row, run));
    }
    case 'null':
      return (subject) => (subject === null) !== test.isNegated;
    case 'type':
      return (subject) => hasType(subject, test.type) !== test.isNegated;
    case 'normal':
      return (subject) => normalTest(subject, test);
    case 'operator':
      return operatorTest(test, compile(test.value));
  }
}

function operatorTest(
  { operator }: Extract<CaseTest, { readonly kind: 'operator' }>,
  evaluate: Evaluate,
): Test {
  switch (operator) {
    case 'starts with':
    case 'ends with':
    case '=~':
      return (subject, row, run) => applyBinary(operator, subject, () => evaluate(row, run), run);
    default:
      return (subject, row, run) => compareBy(operator, subject, evaluate(row, run));
  }
}
