import { FieldPath, parseRelationshipKey } from '#graph/model';
import type { DomainError } from '#platform/foundation';
import { parseTransform, type Transform } from './join-value.ts';

/** Derives relationships between entities of any sources with equal fields. */
export interface Mapping {
  readonly verb: string;
  /** Type of the entities at which the relationships begin; `to` is that of their ends. */
  readonly from: string;
  readonly to: string;
  /** Names of properties, or `_key`, `_type`, `class`, `display_name`. */
  readonly fromField: string;
  readonly toField: string;
  /** Whether texts that differ in case only are equal. */
  readonly ignoresCase: boolean;
  /** What is done with the texts of each end before they are compared, in this order. */
  readonly fromTransforms: readonly Transform[];
  readonly toTransforms: readonly Transform[];
}

export interface MappingText {
  readonly verb: string;
  readonly from: string;
  readonly to: string;
  readonly on: string;
  readonly ignore_case?: boolean | undefined;
  readonly from_transform?: readonly string[] | undefined;
  readonly to_transform?: readonly string[] | undefined;
}

const ON = /^\s*(from|to)\.([^\s=]+)\s*=\s*(from|to)\.([^\s=]+)\s*$/;

/** Parses `on`: `from.email = to.name`, in either order. Throws the error made by `fault`. */
export function parseMapping(
  { verb, from, to, on, ignore_case = false, from_transform = [], to_transform = [] }: MappingText,
  fault: (name: keyof MappingText, message: string, index?: number) => DomainError,
): Mapping {
  const transforms = (name: 'from_transform' | 'to_transform', texts: readonly string[]): Transform[] =>
    texts.map((text, index) => {
      const transform = parseTransform(text);
      if ('fault' in transform) throw fault(name, transform.fault, index);
      return transform;
    });
  const [, left, leftField = '', right, rightField = ''] = ON.exec(on) ?? [];
  if (left === undefined || left === right) {
    throw fault('on', 'expected an equation of both ends, such as from.name = to.name');
  }
  const mapping = {
    verb,
    from,
    to,
    ignoresCase: ignore_case,
    fromTransforms: transforms('from_transform', from_transform),
    toTransforms: transforms('to_transform', to_transform),
  };
  parseRelationshipKey({ from: { type: from, key: 'x' }, verb, to: { type: to, key: 'x' } }, new FieldPath());
  return left === 'from'
    ? { ...mapping, fromField: leftField, toField: rightField }
    : { ...mapping, fromField: rightField, toField: leftField };
}
