import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';

const PROPERTIES = {
  type: 'object',
  additionalProperties: true,
  description: 'Flat: null, boolean, number, string, or a list of one of the last three.',
} as const;

export class EntityKeyDto {
  @ApiProperty({ example: 'host' }) declare type: string;
  @ApiProperty({ example: 'web-01', description: '1–1,024 bytes' }) declare key: string;
}

export class EntityInputDto extends EntityKeyDto {
  @ApiPropertyOptional({ description: 'Default: the PascalCase of the type.' }) declare class?: string;
  @ApiPropertyOptional({ description: 'Default: the key.' }) declare display_name?: string;
  @ApiPropertyOptional({
    type: [String],
    maxItems: 64,
    example: ['Production'],
    description:
      'A set of names by which it is found, in addition to type and class. In a patch, [] removes all.',
  })
  declare labels?: string[];
  @ApiPropertyOptional(PROPERTIES) declare properties?: object;
}

export class RelationshipKeyDto {
  @ApiProperty({ type: EntityKeyDto }) declare from: EntityKeyDto;
  @ApiProperty({ example: 'RUNS' }) declare verb: string;
  @ApiProperty({ type: EntityKeyDto }) declare to: EntityKeyDto;
  @ApiPropertyOptional({ description: 'Distinguishes parallel relationships.' }) declare key?: string;
}

export class RelationshipInputDto extends RelationshipKeyDto {
  @ApiPropertyOptional(PROPERTIES) declare properties?: object;
}

export class BatchDto {
  @ApiPropertyOptional({ type: [EntityInputDto] }) declare entities?: EntityInputDto[];
  @ApiPropertyOptional({ type: [RelationshipInputDto] }) declare relationships?: RelationshipInputDto[];
}

const ID = { type: 'string', description: 'an id' } as const;

@ApiExtraModels(EntityKeyDto, RelationshipKeyDto)
class DeleteDto {
  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: [ID, { $ref: getSchemaPath(EntityKeyDto) }] },
  })
  declare entities?: unknown[];

  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: [ID, { $ref: getSchemaPath(RelationshipKeyDto) }] },
  })
  declare relationships?: unknown[];
}

export class WriteDto extends BatchDto {
  @ApiPropertyOptional({
    description: 'The same id of the same connector again gives the stored reply, whatever the body.',
  })
  declare write_id?: string;
  @ApiPropertyOptional({ default: 'api' }) declare connector_id?: string;
  @ApiPropertyOptional({ type: DeleteDto }) declare delete?: DeleteDto;
}

export class PartialRelationshipsDto extends EntityKeyDto {
  @ApiProperty({ example: 'RUNS' }) declare verb: string;
  @ApiProperty({ enum: ['from', 'to'], description: 'The end at which the entity is.' }) declare end: string;
}

export class SyncScopeDto {
  @ApiProperty({ example: 'aws' }) declare connector_id: string;
  @ApiProperty({
    description: 'The same id of the same connector again gives the stored reply, whatever the body.',
    example: 'sync-1',
  })
  declare sync_id: string;

  @ApiPropertyOptional({
    enum: ['diff', 'patch'],
    default: 'diff',
    description: 'diff: properties replaced, what is absent dropped; patch: merged, null removes one.',
  })
  declare mode?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'Types of which the source may have more than was sent; none of their records are deleted.',
  })
  declare partial_types?: string[];

  @ApiPropertyOptional({
    type: [PartialRelationshipsDto],
    description:
      'Relationships of one verb at one end of one entity, of which the source has some that it could not name: those that ' +
      'the sync does not state are kept.',
  })
  declare partial_relationships?: PartialRelationshipsDto[];

  @ApiPropertyOptional({
    type: 'integer',
    description:
      'Where two sources state one field, the higher wins, then the later. Without one the source keeps its last, ' +
      'at first 0.',
  })
  declare priority?: number;
}

export class SafetyValveDto {
  @ApiPropertyOptional({ description: 'Whether to delete records however many they are.' })
  declare force?: boolean;
  @ApiPropertyOptional({ minimum: 0, maximum: 1, default: 0.5 }) declare max_delete_ratio?: number;
}

export class SyncDto extends SyncScopeDto {
  @ApiPropertyOptional({ type: [EntityInputDto] }) declare entities?: EntityInputDto[];
  @ApiPropertyOptional({ type: [RelationshipInputDto] }) declare relationships?: RelationshipInputDto[];
  @ApiPropertyOptional({ description: 'Whether to delete records however many they are.' })
  declare force?: boolean;
  @ApiPropertyOptional({ minimum: 0, maximum: 1, default: 0.5 }) declare max_delete_ratio?: number;
}
