import type { Neighbors, SourceStatement, WithSources } from '#graph/engine';
import type { Entity, FieldValue, Properties, Relationship, Scalar, Warning } from '#graph/model';
import type {
  EntitySent,
  NeighborsReplySent,
  RelationshipSent,
  StatementSent,
  ValueSent,
  WarningSent,
} from '../generated/graph-messages.ts';

/** Overhead of a field beside its text: tags, lengths, and fields without text. */
const VALUE_BYTES = 8;
const RECORD_BYTES = 256;

const NULL: ValueSent = { nullValue: 'NULL_VALUE' };

/** Encodes records as messages and estimates their size. */
export class RecordEncoder {
  /** Estimated size of everything encoded so far. */
  bytes = 0;

  /** An exact integer is an integer on the wire. */
  value(value: FieldValue): ValueSent {
    this.bytes += VALUE_BYTES;
    if (isList(value)) return { listValue: { values: value.map((item) => this.value(item)) } };
    switch (typeof value) {
      case 'string':
        this.bytes += value.length;
        return { stringValue: value };
      case 'number':
        return Number.isSafeInteger(value) && !Object.is(value, -0)
          ? { int64Value: value }
          : { doubleValue: value };
      case 'boolean':
        return { boolValue: value };
      default:
        return NULL;
    }
  }

  entity(entity: Entity): EntitySent {
    const { id, type, class: name, key, display_name: displayName, labels } = entity;
    this.bytes += key.length + displayName.length + textBytes(labels);
    return { id, type, class: name, key, displayName, ...(labels && { labels }), ...this.#stamped(entity) };
  }

  entityWithSources(entity: Entity & WithSources): EntitySent {
    return { ...this.entity(entity), sources: entity.sources.map((source) => this.#statement(source)) };
  }

  relationship(relationship: Relationship): RelationshipSent {
    const { id, verb, from, to, key } = relationship;
    this.bytes += from.key.length + to.key.length + (key?.length ?? 0);
    return { id, verb, from, to, ...(key !== undefined && { key }), ...this.#stamped(relationship) };
  }

  neighbors({ count, neighbors }: Neighbors): NeighborsReplySent {
    return {
      count,
      neighbors: neighbors.map(({ relationship, entity }) => ({
        relationship: this.relationship(relationship),
        entity: this.entity(entity),
      })),
    };
  }

  #properties(properties: Properties): Readonly<Record<string, ValueSent>> {
    const entries = Object.entries(properties).map(([name, value]) => {
      this.bytes += VALUE_BYTES + name.length;
      return [name, this.value(value)] as const;
    });
    return Object.fromEntries(entries);
  }

  #stamped(record: Entity | Relationship) {
    this.bytes += RECORD_BYTES;
    const { source, created_at: createdAt, updated_at: updatedAt, last_seen_at: lastSeenAt } = record;
    const { deleted_at: deletedAt, version, properties } = record;
    return {
      properties: this.#properties(properties),
      source: { connectorId: source.connector_id, syncId: source.sync_id, syncedAt: source.synced_at },
      createdAt,
      updatedAt,
      lastSeenAt,
      version,
      ...(deletedAt !== null && { deletedAt }),
    };
  }

  #statement(statement: SourceStatement): StatementSent {
    const { connector_id: connectorId, priority, since, display_name: displayName, labels } = statement;
    this.bytes += textBytes(labels);
    return {
      connectorId,
      priority,
      since,
      properties: this.#properties(statement.properties),
      ...(statement.class !== undefined && { class: statement.class }),
      ...(displayName !== undefined && { displayName }),
      ...(labels && { labels }),
    };
  }
}

function textBytes(texts: readonly string[] = []): number {
  return texts.reduce((sum, text) => sum + VALUE_BYTES + text.length, 0);
}

/** `nearest` is always a list on the wire. */
export function warningToWire({ code, message, position, nearest }: Warning): WarningSent {
  return {
    code,
    message,
    nearest: nearest === undefined ? [] : [nearest].flat(),
    ...(position !== undefined && { position }),
  };
}

function isList(value: FieldValue): value is readonly Scalar[] {
  return Array.isArray(value);
}
