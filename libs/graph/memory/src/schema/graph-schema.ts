import type { ValueKind } from '#graph/model';

export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

export interface PropertySchema extends NamedCount {
  /** Number of live entities with a value of each kind; null and the empty list have no kind. */
  readonly kinds: Readonly<Partial<Record<ValueKind, number>>>;
}

export interface TypeSchema extends NamedCount {
  readonly classes: readonly string[];
  /** Labels of its entities; missing if none has any. */
  readonly labels?: readonly string[];
  readonly properties: readonly PropertySchema[];
}

/** The schema of the live data, by name in UTF-8 byte order. */
export interface GraphSchema {
  readonly classes: readonly NamedCount[];
  /** Labels with their numbers of entities; missing if there are none. */
  readonly labels?: readonly NamedCount[];
  readonly types: readonly TypeSchema[];
  /** Verbs in upper case. */
  readonly verbs: readonly NamedCount[];
}
