import type { FieldValue } from '#graph/model';

/** An existing entity of the graph. */
export interface KnownEntity {
  readonly key: string;
  /** Its last writer. */
  readonly connectorId: string;
  field(name: string): FieldValue;
  /** Whether another source than this one states it as well. */
  isStatedByOthers(connectorId: string): boolean;
}

/** The graph as read by mappings, and by steps that add to what other sources say. */
export abstract class GraphEntities {
  /** The live entities of a type, from one snapshot. */
  abstract ofType(type: string): Iterable<KnownEntity>;
}

/** A graph without entities: for steps that run without one. */
export class NoEntities extends GraphEntities {
  override ofType(): Iterable<KnownEntity> {
    return [];
  }
}
