import {
  type AllFields,
  type Computed,
  type FieldRef,
  isComputed,
  type ReturnItem,
  type Term,
} from '../ast/ast.ts';
import { printTerm } from '../ast/print-expression.ts';
import { quote } from '../syntax/fault.ts';
import type { ComputedOperand, ResultColumn, RowOperand, RowValue } from './bound-query.ts';
import { elementOf, type Scope } from './scope.ts';

type Column = ReturnItem['value'];

/** Whether a value of RETURN is computed of aggregates, or is one. */
export function hasAggregate(value: Column | Term): boolean {
  if (isComputed(value)) return value.terms.some(hasAggregate);
  return value.kind === 'aggregate';
}

/** The value of a RETURN item without aggregates. */
export function rowValue(scope: Scope, value: Column): RowValue {
  if (value.kind === 'all') return wholeElement(scope, value);
  return isComputed(value) ? bindComputed(scope, value, rowOperand(scope)) : rowOperand(scope)(value);
}

/** `h.*` */
export function wholeElement(scope: Scope, { alias, span }: AllFields): RowOperand {
  return elementOf(scope.aliased(alias).element, span);
}

function rowOperand(scope: Scope): (term: Leaf) => RowOperand {
  return (term) => {
    if (term.kind === 'ref') return scope.operand(term);
    throw scope.fault(term.span, 'an aggregate makes groups');
  };
}

type Leaf = Exclude<Term, Computed | { readonly kind: 'literal' }>;

/** `bindLeaf` resolves the fields and aggregates that the value is computed of. */
export function bindComputed<Operand extends { readonly kind: string }>(
  scope: Scope,
  computed: Computed,
  bindLeaf: (leaf: Leaf) => Operand,
): ComputedOperand<Operand> {
  const terms = computed.terms.map((term) => {
    if (term.kind === 'literal') return term;
    if (isComputed(term)) return bindComputed(scope, term, bindLeaf);
    refuseElement(scope, term);
    return bindLeaf(term);
  });
  const { kind, span } = computed;
  const operators = computed.kind === 'arithmetic' ? computed.operators : Object.freeze([]);
  return Object.freeze({ kind, span, operators, terms: Object.freeze(terms) });
}

function refuseElement(scope: Scope, term: Leaf): void {
  if (term.kind !== 'ref' || scope.operand(term).kind !== 'element') return;
  const name = term.field.text;
  const hint = `name one of its fields: ${name}.display_name`;
  throw scope.fault(term.span, `${quote(name)} is an element, not a field`, { hint });
}

export function boundColumn<Operand>(item: ReturnItem, value: Operand): ResultColumn<Operand> {
  return Object.freeze({ name: columnName(item), value, span: (item.alias ?? item).span });
}

/** The alias, or the item as written: `h.env`, `h`, `COUNT(*)`, `AVG(h.cpu)`, `h.cpu * 2`. */
function columnName({ alias, value }: ReturnItem): string {
  if (alias !== undefined) return alias.text;
  if (isComputed(value)) return printTerm(value);
  if (value.kind === 'all') return value.alias.text;
  if (value.kind === 'ref') return refName(value);
  const argument = value.argument === '*' ? '*' : refName(value.argument);
  return `${value.function.toUpperCase()}(${value.distinct ? 'DISTINCT ' : ''}${argument})`;
}

function refName({ alias, field }: FieldRef): string {
  return alias === undefined ? field.text : `${alias.text}.${field.text}`;
}
