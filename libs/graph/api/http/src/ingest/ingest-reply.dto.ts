import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EntityKeyDto, PartialRelationshipsDto, RelationshipKeyDto } from './ingest.dto.ts';

export class WarningDto {
  @ApiProperty({ example: 'UNKNOWN_CLASS' }) declare code: string;
  @ApiProperty() declare message: string;
  @ApiPropertyOptional({ description: 'Offset into the query.' }) declare position?: number;
  @ApiPropertyOptional({
    description: 'The known word that is spelt most like an unknown one; of an unknown key, several.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
  })
  declare nearest?: string | string[];
}

export class WriteCountsDto {
  @ApiProperty() declare entities_written: number;
  @ApiProperty() declare relationships_written: number;
  @ApiProperty() declare entities_deleted: number;
  @ApiProperty() declare relationships_deleted: number;
  @ApiProperty({ type: [WarningDto] }) declare warnings: WarningDto[];
}

export class WriteReplyDto extends WriteCountsDto {
  @ApiProperty() declare write_id: string;
}

class LineErrorDto {
  @ApiProperty({ description: 'Number of the line, from 1.' }) declare line: number;
  @ApiProperty({ example: 'INVALID_REQUEST' }) declare code: string;
  @ApiProperty() declare message: string;
}

export class BulkReplyDto extends WriteCountsDto {
  @ApiProperty() declare lines: number;
  @ApiProperty() declare error_count: number;
  @ApiProperty({ type: [LineErrorDto], description: 'The first 100 of them.' })
  declare errors: LineErrorDto[];
}

class ListedEntityDto extends EntityKeyDto {
  @ApiProperty({ description: 'After the change; of a deleted one, before it.' })
  declare display_name: string;
}

class ListedEntitiesDto {
  @ApiProperty({ type: [ListedEntityDto] }) declare records: ListedEntityDto[];
  @ApiProperty({ description: 'How many more there are.' }) declare more: number;
}

class ListedRelationshipsDto {
  @ApiProperty({ type: [RelationshipKeyDto] }) declare records: RelationshipKeyDto[];
  @ApiProperty({ description: 'How many more there are.' }) declare more: number;
}

class EntityChangesDto {
  @ApiProperty({ type: ListedEntitiesDto }) declare created: ListedEntitiesDto;
  @ApiProperty({ type: ListedEntitiesDto }) declare updated: ListedEntitiesDto;
  @ApiProperty({ type: ListedEntitiesDto }) declare deleted: ListedEntitiesDto;
}

class RelationshipChangesDto {
  @ApiProperty({ type: ListedRelationshipsDto }) declare created: ListedRelationshipsDto;
  @ApiProperty({ type: ListedRelationshipsDto }) declare updated: ListedRelationshipsDto;
  @ApiProperty({ type: ListedRelationshipsDto }) declare deleted: ListedRelationshipsDto;
}

class PlannedChangesDto {
  @ApiProperty({ type: EntityChangesDto }) declare entities: EntityChangesDto;
  @ApiProperty({ type: RelationshipChangesDto }) declare relationships: RelationshipChangesDto;
}

export class SyncReplyDto {
  @ApiProperty() declare sync_id: string;
  @ApiProperty() declare entities_created: number;
  @ApiProperty() declare entities_updated: number;
  @ApiProperty() declare entities_unchanged: number;
  @ApiProperty() declare entities_deleted: number;
  @ApiProperty() declare relationships_created: number;
  @ApiProperty() declare relationships_updated: number;
  @ApiProperty() declare relationships_unchanged: number;
  @ApiProperty() declare relationships_deleted: number;
  @ApiProperty({ type: [WarningDto] }) declare warnings: WarningDto[];
  @ApiPropertyOptional({
    type: PlannedChangesDto,
    description: 'Of the dry run of an import: the first 1000 records of each kind of change.',
  })
  declare changes?: PlannedChangesDto;
}

export class SessionReplyDto {
  @ApiProperty() declare session_id: string;
  @ApiProperty() declare connector_id: string;
  @ApiProperty() declare sync_id: string;
  @ApiProperty({ enum: ['diff', 'patch'] }) declare mode: string;
  @ApiProperty({ type: [String] }) declare partial_types: string[];
  @ApiProperty({ type: [PartialRelationshipsDto] })
  declare partial_relationships: PartialRelationshipsDto[];
  @ApiPropertyOptional({ type: 'integer', description: 'Priority of the session, if it has one.' })
  declare priority?: number;
  @ApiProperty({ enum: ['open', 'committed', 'aborted'] }) declare state: string;
  @ApiProperty({ type: [Number], description: 'Numbers of the batches received.' }) declare batches: number[];
  @ApiProperty() declare entities: number;
  @ApiProperty() declare relationships: number;
  @ApiProperty({ format: 'date-time' }) declare created_at: string;
  @ApiProperty({ format: 'date-time' }) declare expires_at: string;
}
