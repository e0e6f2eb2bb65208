import type { FieldValue } from '#graph/model';

/** An existing entity of the graph. */
export interface KnownEntity {
  readonly key: string;
  /** Its last writer. */
  readonly connectorId: string;
  field(name: string): FieldValue;
}

/** The graph as read by mappings. */
export abstract class GraphEntities {
  /** The live entities of a type, from one snapshot. */
  abstract ofType(type: string): Iterable<KnownEntity>;
}
