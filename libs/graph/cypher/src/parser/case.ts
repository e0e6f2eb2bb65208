/** `CASE … WHEN … THEN … ELSE … END`: conditions, or tests of a subject. */
import type { CaseBranch, CaseExpression, CaseTest, ComparisonOperator } from '../syntax/ast.ts';
import type { Cursor } from './cursor.ts';
import { acceptNormalForm } from './text-forms.ts';
import { acceptTypeTest, parseValueType } from './value-type.ts';

export function parseCase(cursor: Cursor): CaseExpression {
  const start = cursor.token;
  cursor.expectKeyword('CASE');
  const subject = cursor.isKeyword('WHEN') ? undefined : cursor.expression();
  const branches: CaseBranch[] = [];
  while (cursor.acceptPhrase('WHEN')) {
    const tests = subject === undefined ? [parseCondition(cursor)] : cursor.list(() => parseTest(cursor));
    cursor.expectKeyword('THEN');
    branches.push({ tests, then: cursor.expression() });
  }
  if (branches.length === 0) throw cursor.fault('WHEN');
  const otherwise = cursor.acceptPhrase('ELSE') ? cursor.expression() : undefined;
  cursor.expectKeyword('END');
  return { kind: 'case', subject, branches, otherwise, span: cursor.spanFrom(start) };
}

function parseCondition(cursor: Cursor): CaseTest {
  return { kind: 'condition', value: cursor.expression() };
}

/** Of a subject: `1`, `< 1`, `STARTS WITH 'a'`, `IS NULL`, `IS TYPED INTEGER`, `IS NFD NORMALIZED`. */
function parseTest(cursor: Cursor): CaseTest {
  if (cursor.acceptPhrase('IS', 'NULL')) return { kind: 'null', isNegated: false };
  if (cursor.acceptPhrase('IS', 'NOT', 'NULL')) return { kind: 'null', isNegated: true };
  const normal = acceptNormalForm(cursor);
  if (normal !== undefined) return { kind: 'normal', ...normal };
  const type = cursor.isKeyword('IS') ? acceptTypeTest(cursor) : undefined;
  if (type !== undefined) return { kind: 'type', isNegated: type.isNegated, type: parseValueType(cursor) };
  return { kind: 'operator', operator: acceptOperator(cursor) ?? '=', value: cursor.expression() };
}

const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const satisfies readonly ComparisonOperator[];

function acceptOperator(
  cursor: Cursor,
): Extract<CaseTest, { readonly kind: 'operator' }>['operator'] | undefined {
  if (cursor.acceptPhrase('STARTS', 'WITH')) return 'starts with';
  if (cursor.acceptPhrase('ENDS', 'WITH')) return 'ends with';
  if (cursor.acceptSymbol('=~')) return '=~';
  return COMPARISONS.find((symbol) => cursor.acceptSymbol(symbol));
}
