/** The sources of a record and their statements, in the form of REST. */
import {
  type Entity,
  entityId,
  type Properties,
  type Relationship,
  relationshipId,
  type Source,
} from '#graph/model';
import type { Store } from '#graph/storage';
import { keyParts, readEntityKey, readRelationshipKey, RECORD_KIND } from '../record/record-key.ts';
import { labelsOf, namesOf, propertiesOf, verbOf } from '../source/record-fields.ts';
import { SourceTable } from '../source/source-table.ts';
import { decodePriority } from '../source/statement-record.ts';
import {
  impliedEntity,
  impliedRelationship,
  inRank,
  type Statement,
  type Writer,
} from '../source/statement.ts';

/** The statement of one source on a record. */
export interface SourceStatement {
  readonly connector_id: string;
  readonly priority: number;
  /** The start of the current statement. RFC 3339 UTC, milliseconds. */
  readonly since: string;
  /** Stated class of an entity. */
  readonly class?: string;
  readonly display_name?: string;
  readonly labels?: readonly string[];
  /** Set for a relationship whose verb the source spells differently from the record. */
  readonly verb?: string;
  readonly properties: Properties;
}

/** Ordered by precedence, the winning sources first. */
export interface WithSources {
  readonly sources: readonly SourceStatement[];
}

export function entitySources(
  table: SourceTable,
  entity: Entity,
  owners: readonly string[],
): readonly SourceStatement[] {
  const { type, key, display_name: displayName, labels, properties } = entity;
  const input = { type, key, class: entity.class, displayName, labels, properties };
  const statements = table.published(entity.id) ?? [impliedEntity(writerOf(entity.source), owners, input)];
  return ranked(table, statements).map((statement) => {
    const { class: name, displayName: stated } = namesOf(statement.fields);
    const labelled = labelsOf(statement.fields);
    return {
      ...headOf(table, statement),
      ...(name !== undefined && { class: name }),
      ...(stated !== undefined && { display_name: stated }),
      ...(labelled !== undefined && { labels: labelled }),
      properties: propertiesOf(statement.fields),
    };
  });
}

export function relationshipSources(
  table: SourceTable,
  relationship: Relationship,
  owners: readonly string[],
): readonly SourceStatement[] {
  const { id, verb, source } = relationship;
  const statements = table.published(id) ?? [impliedRelationship(writerOf(source), owners, relationship)];
  return ranked(table, statements).map((statement) => {
    const spelled = verbOf(statement.fields);
    return {
      ...headOf(table, statement),
      ...(spelled !== verb && { verb: spelled }),
      properties: propertiesOf(statement.fields),
    };
  });
}

function ranked(table: SourceTable, statements: readonly Statement[]): readonly Statement[] {
  return inRank(statements, table.publishedPriorityOf);
}

function headOf(
  table: SourceTable,
  { connectorId, sinceMs }: Statement,
): Pick<SourceStatement, 'connector_id' | 'priority' | 'since'> {
  return {
    connector_id: connectorId,
    priority: table.publishedPriorityOf(connectorId),
    since: new Date(sinceMs).toISOString(),
  };
}

function writerOf({ connector_id, sync_id, synced_at }: Source): Writer {
  return { connectorId: connector_id, syncId: sync_id, syncedAtMs: Date.parse(synced_at) };
}

/** The stored statements of several sources, and the priorities of all. */
export async function loadSources(storage: Store): Promise<SourceTable> {
  const table = new SourceTable();
  for await (const chunk of storage.scan(Uint8Array.of(RECORD_KIND.statements))) {
    for (const { key, value } of chunk) {
      table.restore(recordId(key.subarray(1)), Buffer.from(value).toString('utf8'));
    }
  }
  for await (const chunk of storage.scan(Uint8Array.of(RECORD_KIND.connector))) {
    for (const { key, value } of chunk) {
      table.restorePriority(keyParts(key).join('\0'), decodePriority(value));
    }
  }
  return table;
}

/** The sources of an entity or relationship, by the key of its record. */
export function recordId(recordKey: Uint8Array): string {
  if (recordKey[0] === RECORD_KIND.entity) {
    const { type, key } = readEntityKey(recordKey);
    return entityId(type, key);
  }
  const { from, verb, to, key } = readRelationshipKey(recordKey);
  return relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), key);
}
