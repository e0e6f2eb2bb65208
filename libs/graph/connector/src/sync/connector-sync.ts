import type { SyncDocument } from '#graph/engine';
import type { PartialRelationships, UnreadEntities } from '#graph/model';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { deriveRelationships } from '../mapping/derive-relationships.ts';
import type { GraphEntities } from '../run/graph-entities.port.ts';
import type { CollectedIncrement } from '../run/collect.ts';
import { Collected } from '../run/collected.ts';
import type { SyncCounts, SyncTarget } from './sync-target.port.ts';

/** The result of a connector run. */
export interface SeenContent {
  readonly connector: ConfiguredConnector;
  readonly collected: Collected;
  /** Kept, unless the run has stated them. */
  readonly partialRelationships: readonly PartialRelationships[];
  readonly increment: CollectedIncrement | undefined;
  /** Kept with their relationships, unless the run has stated them. */
  readonly unread: readonly UnreadEntities[];
  /** Entity types, or `*` for all, of which nothing was found and something is expected. */
  readonly emptied: readonly string[];
}

export interface SyncOrder {
  readonly syncId: string;
  /** Disables the deletion limit. */
  readonly force: boolean;
  /** Relationships derived by the connector's mappings. */
  readonly mapped: Collected;
  /** Nothing of these types and verbs may be deleted; called when the sync is planned. */
  readonly partialTypes: () => readonly string[];
  /** Stored with the sync; called after `partialTypes`. */
  readonly document: () => SyncDocument | undefined;
}

/** Syncs the result of a run into the graph, with the relationships derived by the connector's mappings. */
export class ConnectorSync {
  readonly #target: SyncTarget;
  readonly graph: GraphEntities;

  constructor(target: SyncTarget, graph: GraphEntities) {
    this.#target = target;
    this.graph = graph;
  }

  /** Several mappings with the same verb may derive one pair. */
  map({ connector, collected, unread, increment }: SeenContent, partialTypes: readonly string[]): Collected {
    const sources = {
      connectorId: connector.id,
      collected,
      partialTypes: [...partialTypes, ...(increment?.types ?? [])],
      removed: increment?.removed ?? [],
      unread,
      graph: this.graph,
    };
    const mapped = new Collected();
    for (const mapping of connector.mappings) {
      for (const each of deriveRelationships(mapping, sources)) {
        if (!collected.hasRelationship(each)) mapped.addRelationship(each);
      }
    }
    return mapped;
  }

  /** Resolves when it is durable. */
  async sync(
    { connector, collected, partialRelationships, unread, increment, emptied }: SeenContent,
    { syncId, force, mapped, partialTypes, document }: SyncOrder,
  ): Promise<SyncCounts> {
    return this.#target.sync({
      connectorId: connector.id,
      syncId,
      force,
      partialTypes,
      partialRelationships,
      unread,
      increment,
      document,
      emptied,
      priority: connector.priority,
      entities: () => collected.allEntities(),
      relationships: () => both(collected.allRelationships(), mapped.allRelationships()),
      recordCount: collected.entityCount + collected.relationshipCount + mapped.relationshipCount,
      recordBytes: collected.syncBytes + mapped.syncBytes,
    });
  }
}

function* both<T>(first: Iterable<T>, second: Iterable<T>): Iterable<T> {
  yield* first;
  yield* second;
}
