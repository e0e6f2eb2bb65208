import type { AllFields, FieldRef, ReturnItem } from '../ast/ast.ts';
import type { ResultColumn, RowOperand } from './bound-query.ts';
import { elementOf, type Scope } from './scope.ts';

/** The operand of a RETURN item that is not an aggregate. */
export function itemOperand(scope: Scope, value: FieldRef | AllFields): RowOperand {
  if (value.kind === 'ref') return scope.operand(value);
  return elementOf(scope.aliased(value.alias).element, value.span);
}

export function boundColumn<Operand>(item: ReturnItem, value: Operand): ResultColumn<Operand> {
  return Object.freeze({ name: columnName(item), value, span: (item.alias ?? item).span });
}

/** The alias, or the item as written: `h.env`, `h`, `COUNT(*)`, `AVG(h.cpu)`. */
function columnName({ alias, value }: ReturnItem): string {
  if (alias !== undefined) return alias.text;
  if (value.kind === 'all') return value.alias.text;
  if (value.kind === 'ref') return refName(value);
  const argument = value.argument === '*' ? '*' : refName(value.argument);
  return `${value.function.toUpperCase()}(${value.distinct ? 'DISTINCT ' : ''}${argument})`;
}

function refName({ alias, field }: FieldRef): string {
  return alias === undefined ? field.text : `${alias.text}.${field.text}`;
}
