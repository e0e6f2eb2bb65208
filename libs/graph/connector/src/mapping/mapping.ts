import { FieldPath, parseRelationshipKey } from '#graph/model';
import type { DomainError } from '#platform/foundation';

/** Derives relationships between entities of any sources with equal fields. */
export interface Mapping {
  readonly verb: string;
  /** Types. */
  readonly from: string;
  readonly to: string;
  /** Names of properties, or `_key`, `_type`, `class`, `display_name`. */
  readonly fromField: string;
  readonly toField: string;
}

export type MappingText = Readonly<Record<'verb' | 'from' | 'to' | 'on', string>>;

const ON = /^\s*(from|to)\.([^\s=]+)\s*=\s*(from|to)\.([^\s=]+)\s*$/;

/** Parses `on`: `from.email = to.name`, in either order. Throws the error made by `fault`. */
export function parseMapping(
  { verb, from, to, on }: MappingText,
  fault: (name: string, message: string) => DomainError,
): Mapping {
  const [, left, leftField = '', right, rightField = ''] = ON.exec(on) ?? [];
  if (left === undefined || left === right) {
    throw fault('on', 'expected an equation of both ends, such as from.name = to.name');
  }
  const mapping = { verb, from, to };
  parseRelationshipKey({ from: { type: from, key: 'x' }, verb, to: { type: to, key: 'x' } }, new FieldPath());
  return left === 'from'
    ? { ...mapping, fromField: leftField, toField: rightField }
    : { ...mapping, fromField: rightField, toField: leftField };
}
