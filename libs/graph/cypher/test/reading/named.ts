/**
 * A `scalar` has no element of the graph in it, so that its order is known, nor have the lists and maps of
 * `flat`; a `bag` is a list whose order is not; of a `way`, one of several shortest paths, only the length is
 * known.
 */
export type Kind =
  | 'truth'
  | 'integer'
  | 'number'
  | 'text'
  | 'scalar'
  | 'flat'
  | 'map'
  | 'list'
  | 'bag'
  | 'any'
  | 'node'
  | 'link'
  | 'path'
  | 'way';

export interface Named {
  readonly name: string;
  readonly kind: Kind;
}
