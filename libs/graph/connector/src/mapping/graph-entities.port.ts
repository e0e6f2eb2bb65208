import type { FieldValue } from '#graph/model';

/** An entity that the graph has already. */
export interface KnownEntity {
  readonly key: string;
  /** Who wrote it last. */
  readonly connectorId: string;
  field(name: string): FieldValue;
}

/** What a mapping reads of the graph. */
export abstract class GraphEntities {
  /** The live ones of a type, from one snapshot. */
  abstract ofType(type: string): Iterable<KnownEntity>;
}
