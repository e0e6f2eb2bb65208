import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { entityId, relationshipId } from '#graph/model';

/** Ids of the small estate in the documentation. */
export const EXAMPLE_ENTITY_ID = entityId('host', 'web-01');
export const EXAMPLE_RELATIONSHIP_ID = relationshipId(
  EXAMPLE_ENTITY_ID,
  'RUNS',
  entityId('service', 'nginx'),
);

const PROPERTIES = {
  type: 'object',
  additionalProperties: true,
  description: 'Flat: null, boolean, number, string, or a list of one of the last three.',
  example: { os: 'linux', state: 'running', cpu: 8 },
} as const;

export class SourceDto {
  @ApiProperty({ example: 'aws' }) declare connector_id: string;
  @ApiProperty({ example: 'sync-1' }) declare sync_id: string;
  @ApiProperty({ format: 'date-time' }) declare synced_at: string;
}

class SourceStatementDto {
  @ApiProperty({ example: 'aws' }) declare connector_id: string;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'If two sources state one field, the value of the higher priority counts.',
  })
  declare priority: number;
  @ApiProperty({ format: 'date-time', description: 'Time since which the source has stated exactly this.' })
  declare since: string;
  @ApiProperty(PROPERTIES) declare properties: object;
}

class EntityStatementDto extends SourceStatementDto {
  @ApiPropertyOptional({
    example: 'Host',
    description: 'The value that the source states, if it states one.',
  })
  declare class?: string;
  @ApiPropertyOptional({ description: 'The value that the source states, if it states one.' })
  declare display_name?: string;
  @ApiPropertyOptional({
    type: [String],
    description: 'The values that the source states, if it states any.',
  })
  declare labels?: string[];
}

class RelationshipStatementDto extends SourceStatementDto {
  @ApiPropertyOptional({ description: 'The spelling of the source, if it differs from that of the record.' })
  declare verb?: string;
}

class StampDto {
  @ApiProperty({ type: SourceDto }) declare source: SourceDto;
  @ApiProperty({ format: 'date-time', description: 'Time at which it was first seen.' })
  declare created_at: string;
  @ApiProperty({ format: 'date-time', description: 'Time of the last change of its content.' })
  declare updated_at: string;
  @ApiProperty({ format: 'date-time', description: 'Time at which any sync last saw it.' })
  declare last_seen_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) declare deleted_at: string | null;
  @ApiProperty({ minimum: 1, description: '+1 on every change of the content.' }) declare version: number;
}

export const FORGOTTEN_EXAMPLE = {
  id: EXAMPLE_ENTITY_ID,
  forgotten_at: '2026-01-05T06:00:00.000Z',
  entities_deleted: 1,
  relationships_deleted: 2,
  history_records: 6,
  documents_changed: 0,
  files_left: [],
  naming: [],
  naming_more: 0,
};

class NamingDto {
  @ApiProperty({ example: 'saved query' }) declare kind: string;
  @ApiProperty({ example: 'contractors' }) declare id: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it goes by itself; null: when it is changed or removed by hand.',
  })
  declare until: string | null;
}

export class ForgottenDto {
  @ApiProperty({ pattern: '^[0-9a-f]{32}$', example: EXAMPLE_ENTITY_ID }) declare id: string;
  @ApiProperty({ format: 'date-time' }) declare forgotten_at: string;
  @ApiProperty({ minimum: 0, description: '0: it was deleted before.', example: 1 })
  declare entities_deleted: number;
  @ApiProperty({ minimum: 0, example: 2 }) declare relationships_deleted: number;
  @ApiProperty({ minimum: 0, description: 'Former records in the history.', example: 5 })
  declare history_records: number;
  @ApiProperty({
    minimum: 0,
    description: 'Findings, messages, runs, stored replies and sessions that were changed or removed.',
    example: 4,
  })
  declare documents_changed: number;
  @ApiProperty({
    type: [String],
    description: 'Files of this node that may still hold it: of a running backup, or of a repair.',
  })
  declare files_left: string[];
  @ApiProperty({
    type: [NamingDto],
    nullable: true,
    maxItems: 100,
    description:
      'What still has its key or display name, such as a saved query. Null: an earlier call has looked, and ' +
      'the names are known no more.',
  })
  declare naming: NamingDto[] | null;
  @ApiProperty({ minimum: 0, description: 'Number of further ones.', example: 0 })
  declare naming_more: number;
}

export class EntityDto extends StampDto {
  @ApiProperty({ pattern: '^[0-9a-f]{32}$', example: EXAMPLE_ENTITY_ID }) declare id: string;
  @ApiProperty({ example: 'host' }) declare type: string;
  @ApiProperty({ example: 'Host' }) declare class: string;
  @ApiProperty({ example: 'web-01' }) declare key: string;
  @ApiProperty({ example: 'web-01' }) declare display_name: string;
  @ApiPropertyOptional({
    type: [String],
    maxItems: 64,
    example: ['Production'],
    description: 'Names in addition to type and class, where there are any: sorted, each once.',
  })
  declare labels?: string[];
  @ApiProperty(PROPERTIES) declare properties: object;
}

export class EntityWithSourcesDto extends EntityDto {
  @ApiPropertyOptional({
    type: [EntityStatementDto],
    description: 'Statements of the sources, with ?sources=true; those whose values win come first.',
  })
  declare sources?: EntityStatementDto[];
}

class EndpointDto {
  @ApiProperty({ example: EXAMPLE_ENTITY_ID }) declare id: string;
  @ApiProperty({ example: 'host' }) declare type: string;
  @ApiProperty({ example: 'web-01' }) declare key: string;
}

export class RelationshipDto extends StampDto {
  @ApiProperty({ pattern: '^[0-9a-f]{32}$', example: EXAMPLE_RELATIONSHIP_ID }) declare id: string;
  @ApiProperty({ example: 'RUNS' }) declare verb: string;
  @ApiProperty({ type: EndpointDto }) declare from: EndpointDto;
  @ApiProperty({ type: EndpointDto }) declare to: EndpointDto;
  @ApiPropertyOptional({ description: 'Distinguishes parallel relationships.' }) declare key?: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) declare properties: object;
}

export class RelationshipWithSourcesDto extends RelationshipDto {
  @ApiPropertyOptional({
    type: [RelationshipStatementDto],
    description: 'Statements of the sources, with ?sources=true.',
  })
  declare sources?: RelationshipStatementDto[];
}

class NeighborDto {
  @ApiProperty({ type: RelationshipDto }) declare relationship: RelationshipDto;
  @ApiProperty({ type: EntityDto }) declare entity: EntityDto;
}

export class NeighborsDto {
  @ApiProperty({ description: 'Number of all neighbours, also beyond the limit.' }) declare count: number;
  @ApiProperty({ type: [NeighborDto] }) declare neighbors: NeighborDto[];
}
