import {
  type BoundFind,
  type ComputedOperand,
  isComputedOperand,
  type RowOperand,
  type RowValue,
} from '../binder/bound-query.ts';
import type { KindCheck } from './resolve-expression.ts';

/** The fields of which numbers are computed. */
export function* computedChecks({ grouping, returns }: BoundFind): Generator<KindCheck> {
  for (const key of grouping?.keys ?? []) yield* checksOf(key);
  if (returns?.kind === 'rows') for (const { value } of returns.columns) yield* checksOf(value);
}

function* checksOf(value: RowValue): Generator<KindCheck> {
  if (isComputedOperand(value)) yield* ofTerms(value);
}

function* ofTerms({ kind, terms }: ComputedOperand<RowOperand>): Generator<KindCheck> {
  for (const term of terms) {
    if (term.kind === 'literal') continue;
    if (isComputedOperand(term)) yield* ofTerms(term);
    else if (term.kind === 'field' && kind === 'arithmetic')
      yield {
        element: term.element,
        field: term.field,
        kinds: ['number'],
        position: term.span.start,
        isComputed: true,
      };
  }
}
