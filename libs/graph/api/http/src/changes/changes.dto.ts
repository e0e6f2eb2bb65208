import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import type { FeedChange } from '#graph/query';
import { ChangedFieldDto } from '../record/changed-field.dto.ts';
import { EntityDto, EXAMPLE_ENTITY_ID, RelationshipDto, SourceDto } from '../record/record.dto.ts';

const FLAG = ['true', 'false'];

export class ChangesQueryDto {
  @ApiPropertyOptional({
    description:
      'Changes after this: a sequence number, a `Plexus-Seq`, or the `id` of a change. Default: from now on. A `Last-Event-ID` counts instead.',
    example: '1042',
  })
  @IsOptional()
  @IsString({ message: 'from: expected one text' })
  declare from?: string;

  @ApiPropertyOptional({
    description: 'Only changes of entities with this class, type or label, before the change or after it.',
    example: 'Host',
  })
  @IsOptional()
  @IsString({ message: 'class: expected one text' })
  declare class?: string;

  @ApiPropertyOptional({
    description:
      'PQL: only changes of entities that it selects as they were before the change or are after it.',
    example: "FIND Host WITH env = 'prod'",
  })
  @IsOptional()
  @IsString({ message: 'query: expected one text' })
  declare query?: string;

  @ApiPropertyOptional({
    enum: FLAG,
    description: 'Whether the stream goes on with later changes. Default: as events, yes; as lines, no.',
  })
  @IsOptional()
  @IsIn(FLAG, { message: 'follow: expected true or false' })
  declare follow?: string;
}

export class ForgottenRecordDto {
  @ApiProperty({ enum: ['entity', 'relationship'] }) declare readonly record: 'entity' | 'relationship';
  @ApiProperty({ pattern: '^[0-9a-f]{32}$', example: EXAMPLE_ENTITY_ID }) declare readonly id: string;
}

@ApiExtraModels(ChangedFieldDto)
export class ChangeDto implements FeedChange {
  @ApiProperty({
    description: 'Names the change for ever: who gets it twice drops the second.',
    example: '8c1f0e5b7a9d2c3e4f60.1042.0',
  })
  declare readonly id: string;
  @ApiProperty({ type: 'integer', description: 'The batch.', example: 1042 }) declare readonly seq: number;
  @ApiProperty({ format: 'date-time', description: 'Time of the batch.' }) declare readonly at: string;
  @ApiPropertyOptional({
    description: 'The name of the key or the person who wrote the batch; absent where it is not known.',
    example: 'cmdb-sync',
  })
  declare readonly who?: string;
  @ApiProperty({
    enum: ['created', 'changed', 'deleted', 'forgotten'],
    description: '`forgotten`: in place of the deletion of a record that was forgotten, whatever the filter.',
  })
  declare readonly change: FeedChange['change'];
  @ApiPropertyOptional({
    type: SourceDto,
    description:
      'Who has written what it is now; of a deleted record, what it was; absent for a forgotten one.',
  })
  declare readonly source?: SourceDto;
  @ApiProperty({ type: [ChangedFieldDto] }) declare readonly fields: readonly ChangedFieldDto[];
  @ApiPropertyOptional({ type: EntityDto, description: 'As it is now; if deleted, as it was.' })
  declare readonly entity?: NonNullable<FeedChange['entity']>;
  @ApiPropertyOptional({ type: RelationshipDto, description: 'As it is now; if deleted, as it was.' })
  declare readonly relationship?: NonNullable<FeedChange['relationship']>;
  @ApiPropertyOptional({
    type: ForgottenRecordDto,
    description: 'Of a forgotten record: a copy of it has to go.',
  })
  declare readonly forgotten?: NonNullable<FeedChange['forgotten']>;
}
