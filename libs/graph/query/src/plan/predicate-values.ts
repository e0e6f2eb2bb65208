/** The values of a predicate: those it reads, and the kinds of values for which it can be true. */
import type { FieldValue, ValueKind } from '#graph/model';
import type { Literal } from '../ast/ast.ts';
import type { BoundExpression, Constant } from '../binder/bound-query.ts';

export type Predicate<Operand> = Exclude<
  BoundExpression<Operand, Operand>,
  { readonly kind: 'and' | 'or' | 'not' | 'same' | 'linked' }
>;

/** The operands that must all be present for the predicate to be true; the left one first. */
export function operandsOf<Operand extends { readonly kind: string }>(
  predicate: Predicate<Operand>,
): readonly Operand[] {
  if (predicate.kind === 'exists' || predicate.kind === 'in') return [predicate.left];
  return [predicate.left, ...valuesOf(predicate).filter((value): value is Operand => !isConstant(value))];
}

/** The literals that the predicate compares with; undefined if it has other values. */
export function literalsOf<Operand extends { readonly kind: string }>(
  predicate: Predicate<Operand>,
): readonly Literal[] | undefined {
  if (predicate.kind === 'exists') return undefined;
  const values = valuesOf(predicate);
  const literals = values.filter((value): value is Literal => isConstant(value) && value.kind === 'literal');
  return literals.length === values.length ? literals : undefined;
}

/** The kinds of values for which a predicate with literals can be true; undefined if they are not known. */
export function neededKinds<Operand extends { readonly kind: string }>(
  predicate: Predicate<Operand>,
): readonly ValueKind[] | undefined {
  const literals = literalsOf(predicate);
  if (literals === undefined || literals.length === 0 || literals.some(({ value }) => value === null))
    return undefined;
  const kinds = [...new Set(literals.map(({ value }) => typeof value as ValueKind))];
  const lists = kinds.map((kind) => `${kind}[]` as ValueKind);
  if (predicate.kind === 'text') {
    return predicate.operator === 'contains' && kinds[0] !== 'string' ? lists : ['string', 'string[]'];
  }
  if (isEquality(predicate)) return [...kinds, ...lists];
  return kinds.length === 1 ? kinds : undefined;
}

/** Whether a value, or a member of a list, is of one of the kinds. */
export function hasKind(value: FieldValue, kinds: readonly ValueKind[]): boolean {
  if (Array.isArray(value)) return value.some((member) => kinds.includes(`${typeof member}[]` as ValueKind));
  return kinds.includes(typeof value as ValueKind);
}

/** What the predicate compares its left operand with. */
export function valuesOf<Operand>(predicate: Predicate<Operand>): readonly (Constant | Operand)[] {
  switch (predicate.kind) {
    case 'exists':
      return [];
    case 'in':
      return 'kind' in predicate.values ? [predicate.values] : predicate.values;
    case 'between':
      return [predicate.low, predicate.high];
    default:
      return [predicate.right];
  }
}

export function isEquality<Operand>(predicate: Predicate<Operand>): boolean {
  if (predicate.kind === 'compare') return predicate.operator === '=' || predicate.operator === '!=';
  return predicate.kind === 'in';
}

/** Whether the predicate is true on a missing value. */
export function isNegative<Operand>(predicate: Predicate<Operand>): boolean {
  return predicate.kind === 'compare' ? predicate.operator === '!=' : predicate.negated;
}

export function isConstant(value: { readonly kind: string }): value is Constant {
  return ['literal', 'parameter', 'now', 'date'].includes(value.kind);
}
