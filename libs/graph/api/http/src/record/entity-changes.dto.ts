import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { parseMoment } from '#graph/engine';
import type { EntityChangesRequest } from '#graph/query';
import { ChangedFieldDto } from './changed-field.dto.ts';
import { SourceDto } from './record.dto.ts';

const LIMIT_DEFAULT = 50;

export class EntityChangesQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1_000, default: LIMIT_DEFAULT })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,2}|1000)$/, { message: 'limit: expected a whole number from 1 to 1000' })
  declare limit?: string;

  @ApiPropertyOptional({
    description: 'Cursor of the previous page. It does not expire before its moment leaves the history.',
  })
  @IsOptional()
  @IsString({ message: 'cursor: expected one text' })
  declare cursor?: string;
}

export function entityChangesRequest(
  id: string,
  { limit, cursor }: EntityChangesQueryDto,
): EntityChangesRequest {
  return {
    id,
    limit: limit === undefined ? LIMIT_DEFAULT : Number(limit),
    cursor: cursor === undefined ? undefined : parseMoment(cursor, 'cursor'),
  };
}

class TimelineChangeDto {
  @ApiProperty({ enum: ['created', 'changed', 'deleted'] }) declare change: string;
  @ApiProperty({ format: 'date-time', description: 'Time of the batch.' }) declare at: string;
  @ApiProperty({ type: 'integer', description: 'The batch.', example: 1042 }) declare seq: number;
  @ApiPropertyOptional({
    description: 'The name of the key or the person who wrote the batch; absent where it is not known.',
    example: 'cmdb-sync',
  })
  declare who?: string;
  @ApiProperty({ type: SourceDto, description: 'Who wrote the new content; of a deletion, the deleted one.' })
  declare source: SourceDto;
  @ApiProperty({
    type: [ChangedFieldDto],
    description: 'By name; of a creation and of a deletion, all of it.',
  })
  declare fields: ChangedFieldDto[];
}

export class EntityTimelineDto {
  @ApiProperty({ type: [TimelineChangeDto], description: 'The latest first.' })
  declare changes: TimelineChangeDto[];
  @ApiPropertyOptional({ description: 'Cursor of the next page, which is of earlier changes.' })
  declare cursor?: string;
}
