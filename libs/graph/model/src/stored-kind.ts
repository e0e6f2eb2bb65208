/**
 * Kinds of values that JSON does not tell. A property has the value that JSON and PQL show, such as `4` or
 * `"2026-01-02"`; where Cypher wrote another kind than that of its JSON, the kind stands beside it. A whole
 * number without one is an integer, every other value what its JSON says.
 */

/**
 * `integer` (of text), `float` (of a whole number or text), `-0`; another word is that of the language that
 * wrote it. Of a list: the kind of each item, null where its JSON tells it.
 */
export type StoredKind = string | readonly (string | null)[];

/** Kinds by property name; the object has no prototype. */
export type PropertyKinds = Readonly<Record<string, StoredKind>>;

export function createKinds(): Record<string, StoredKind> {
  return Object.create(null) as Record<string, StoredKind>;
}

/** Undefined if there are none. */
export function someKinds(kinds: PropertyKinds | undefined): PropertyKinds | undefined {
  return kinds === undefined || Object.keys(kinds).length === 0 ? undefined : kinds;
}
