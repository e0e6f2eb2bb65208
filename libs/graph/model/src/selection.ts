/**
 * The interface in which a query selects nodes of a graph. The graph knows columns and posting lists, not the
 * semantics of the language; the query engine puts all semantics into {@link ValueTest.matches}.
 *
 * A node (an entity) and a link (a relationship) are dense non-negative integers, valid for one snapshot
 * only.
 */
import type { PropertyValue, Scalar } from './properties.ts';

/** Outgoing from the current node, incoming to it, or either. */
export type Direction = 'out' | 'in' | 'any';

/** The value of a field of one entity; `undefined` if the entity has no such property. */
export type FieldValue = PropertyValue | undefined;

/**
 * A pure test of one field's value. The graph may call it once for each distinct value instead of once for
 * each node, so it must depend on the value alone.
 */
export interface ValueTest {
  matches(value: FieldValue): boolean;
  /**
   * When set, `matches` holds for exactly the values equal to one of these, and for lists that contain one:
   * an index may answer. Never contains null.
   */
  readonly equals?: readonly Scalar[];
  /**
   * When set, `matches` holds for exactly the single values (never a list) of the bounds' kind inside them.
   */
  readonly range?: ValueRange;
  /** When set, `matches` holds for exactly the values that are neither missing nor null. */
  readonly exists?: true;
  /** When set, `matches` holds for exactly the values of these kinds, and for lists with a member of one. */
  readonly kinds?: readonly ValueKind[];
  /** When set, testing one value may take long: the result of `matches`, in steps. */
  steps?(value: FieldValue): Generator<void, boolean>;
  /** A fast approximation, set with `steps`: true wherever `matches` is true or would take long. */
  mayMatch?(value: FieldValue): boolean;
}

/** Numbers by value, strings in UTF-8 byte order. At least one bound; two bounds are of one kind. */
export interface ValueRange {
  readonly low?: number | string;
  readonly high?: number | string;
  readonly lowIncluded: boolean;
  readonly highIncluded: boolean;
}

/** The kind of a property value; of a list, that of its elements. An empty list has no kind. */
export type ValueKind = 'boolean' | 'number' | 'string' | 'boolean[]' | 'number[]' | 'string[]';

/**
 * A condition on one entity. `field` is a property name, `class`, `display_name`, or one of `_key`, `_type`,
 * `_class`, `_labels` (a list; missing if there are none), `_id`, `_source` (the connector id),
 * `_created_at`, `_updated_at`, `_last_seen_at`, `_deleted_at`.
 */
export type Filter =
  | { readonly kind: 'test'; readonly field: string; readonly test: ValueTest }
  | { readonly kind: 'and' | 'or'; readonly items: readonly Filter[] }
  | { readonly kind: 'not'; readonly item: Filter };

/** The nodes of certain types, classes or labels that pass a filter. `names: '*'` means every node. */
export interface Selection {
  /** Each matches entities whose type, class or one of whose labels equals it, case-sensitively. */
  readonly names: readonly string[] | '*';
  readonly filter?: Filter;
}

/** Verbs compared case-insensitively; `'*'` means every verb. */
export type VerbSelection = readonly string[] | '*';

/** The inputs of an answer over the graph: while none of them changes, the answer stays the same. */
export interface Footprint {
  /** Types, classes and labels of its entities. */
  readonly names: readonly string[] | '*';
  readonly verbs: VerbSelection;
  /** Whether it reads when records were written or last seen, and by whom. */
  readonly readsStamps: boolean;
}

/** One group of {@link Selection}: the values of the grouping fields (null when missing) and its size. */
export interface GroupCount {
  readonly values: readonly PropertyValue[];
  readonly count: number;
}
