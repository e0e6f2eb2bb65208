/** Who states what of a record, in the words of REST. */
import type { Entity, Properties, Relationship, Source } from '#graph/model';
import { impliedEntity, impliedRelationship, type Writer } from '../source/implied-statement.ts';
import { namesOf, propertiesOf, verbOf } from '../source/record-fields.ts';
import type { SourceTable } from '../source/source-table.ts';
import { inRank, type Statement } from '../source/statement.ts';

/** What one source states of a record. */
export interface SourceStatement {
  readonly connector_id: string;
  readonly priority: number;
  /** When the source began to state just this. RFC 3339 UTC, milliseconds. */
  readonly since: string;
  /** Of an entity, when the source states one. */
  readonly class?: string;
  readonly display_name?: string;
  /** Of a relationship, when the source spells it otherwise than the record. */
  readonly verb?: string;
  readonly properties: Properties;
}

/** Those whose values win come first. */
export interface WithSources {
  readonly sources: readonly SourceStatement[];
}

export function entitySources(
  table: SourceTable,
  entity: Entity,
  owners: readonly string[],
): readonly SourceStatement[] {
  const { type, key, display_name: displayName, properties } = entity;
  const input = { type, key, class: entity.class, displayName, properties };
  const statements = table.published(entity.id) ?? [impliedEntity(writerOf(entity.source), owners, input)];
  return ranked(table, statements).map((statement) => {
    const { class: name, displayName: stated } = namesOf(statement.fields);
    return {
      ...headOf(table, statement),
      ...(name !== undefined && { class: name }),
      ...(stated !== undefined && { display_name: stated }),
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
