import type { FieldValue } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { ArithmeticOperator } from '../../ast/ast.ts';
import { type ComputedOperand, isComputedOperand } from '../../binder/bound-query.ts';
import { LinkCell, NodeCell, type Cell } from '../../result/query-result.ts';

/** Maximum characters of a text that CONCAT makes. */
const CONCAT_LENGTH_MAX = 1_000_000;

/** A function that computes a value from what `read` makes of its operands. */
export function computedOf<Operand extends { readonly kind: string }, Source>(
  { kind, terms, operators }: ComputedOperand<Operand>,
  read: (operand: Operand) => (source: Source) => Cell,
): (source: Source) => Cell {
  const cells = terms.map((term): ((source: Source) => Cell) => {
    if (isLiteral(term)) return () => term.value;
    return isComputedOperand(term) ? computedOf(term, read) : read(term);
  });
  return kind === 'concat'
    ? (source) => concat(cells.map((cell) => cell(source)))
    : (source) =>
        arithmetic(
          operators,
          cells.map((cell) => cell(source)),
        );
}

type Literal = Extract<ComputedOperand<never>['terms'][number], { readonly kind: 'literal' }>;

function isLiteral(term: { readonly kind: string }): term is Literal {
  return term.kind === 'literal';
}

/** From left to right; null where a term is no number, and of a result beyond all numbers. */
function arithmetic(operators: readonly ArithmeticOperator[], cells: readonly Cell[]): number | null {
  const [first, ...others] = cells;
  if (typeof first !== 'number') return null;
  let result = first;
  for (const [at, cell] of others.entries()) {
    if (typeof cell !== 'number') return null;
    result = applied(operators[at], result, cell);
  }
  return Number.isFinite(result) ? result + 0 : null;
}

function applied(operator: ArithmeticOperator | undefined, left: number, right: number): number {
  switch (operator) {
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    default:
      return left + right;
  }
}

/** Nothing of null; the members of a list with a comma between. */
function concat(cells: readonly Cell[]): string {
  let text = '';
  for (const cell of cells) {
    text += textOf(cell);
    if (text.length <= CONCAT_LENGTH_MAX) continue;
    const message = `a text of CONCAT has more than ${String(CONCAT_LENGTH_MAX)} characters`;
    throw new DomainError('QUERY_TOO_LARGE', message, { details: { limit: CONCAT_LENGTH_MAX } });
  }
  return text;
}

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined || cell instanceof NodeCell || cell instanceof LinkCell) return '';
  return Array.isArray(cell) ? (cell as readonly FieldValue[]).map(textOf).join(', ') : String(cell);
}
