import type {
  BoundHopPattern,
  BoundNode,
  BoundQuery,
  FieldOperand,
  RowExpression,
  RowOperand,
} from '../binder/bound-query.ts';
import { operandsOf } from './find-plan.ts';
import { valuesOf } from './predicate-values.ts';

/** Every field of a query, at its first occurrence. */
export function fieldOperandsOf(body: BoundQuery['body']): readonly FieldOperand[] {
  const found = [...allOperands(body)].filter((operand) => operand.kind === 'field');
  return found.sort((a, b) => a.span.start - b.span.start);
}

function* allOperands(body: BoundQuery['body']): Generator<RowOperand> {
  if (body.kind !== 'find') {
    yield* ofEnd(body.from);
    if (body.kind === 'path') yield* ofEnd(body.to);
    return;
  }
  yield* ofFilter(body.node.filter);
  yield* ofHops(body.hops);
  yield* ofFilter(body.where);
  yield* operandsOf(body);
}

function* ofHops(hops: readonly BoundHopPattern[]): Generator<RowOperand> {
  for (const hop of hops) {
    if (hop.kind === 'hop') yield* ofFilter(hop.target.filter);
    else yield* ofHops(hop.hops);
  }
}

function* ofEnd(end: BoundNode | { readonly kind: 'key' }): Generator<RowOperand> {
  if (end.kind === 'node') yield* ofFilter(end.filter);
}

function* ofFilter(expression: RowExpression | undefined): Generator<RowOperand> {
  if (expression === undefined) return;
  switch (expression.kind) {
    case 'same':
    case 'linked':
      return;
    case 'and':
    case 'or':
      for (const item of expression.items) yield* ofFilter(item);
      return;
    case 'not':
      yield* ofFilter(expression.item);
      return;
    default:
      yield expression.left;
      yield* valuesOf(expression).filter((value) => value.kind === 'field');
  }
}
