/** Labels as a field of an entity, and the names by which queries find it. */
import type { FieldValue } from '#graph/model';
import { isOneOf } from '#platform/foundation';

/** A list of names; missing if there are none. */
export const LABELS_FIELD = '_labels';

export function labelsIn(value: FieldValue): readonly string[] | undefined {
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
}

/** The type, class and labels of an entity. */
export interface Named {
  readonly type: string;
  readonly class: string;
  readonly labels?: readonly string[] | undefined;
}

/** Names of the entity, each once. */
export function namesOf({ type, class: className, labels = [] }: Named): ReadonlySet<string> {
  return new Set([type, className, ...labels]);
}

export function isNamed(names: readonly string[] | '*', { type, class: className, labels }: Named): boolean {
  if (names === '*') return true;
  return (
    isOneOf(names, type) ||
    isOneOf(names, className) ||
    labels?.some((label) => isOneOf(names, label)) === true
  );
}
