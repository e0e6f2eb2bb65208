import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import type { QueryParameter } from '#graph/query';
import { ApiChoice } from '#platform/http';

const RECORD = { type: 'object', additionalProperties: true } as const;
const TEXTS_FAULT = 'tags: expected a list of texts';

/** A query to save; `graph/query` checks its text and fields. */
export class SavedQueryBodyDto {
  @ApiPropertyOptional({ type: String, description: 'The name in the path; may be omitted.' })
  @IsOptional()
  @IsString({ message: 'name: expected a text' })
  declare name?: string | null;

  @ApiProperty({ description: 'PQL, which parses, and names the parameters that are declared.' })
  @IsString({ message: 'text: expected a text' })
  declare text: string;

  @ApiPropertyOptional({ type: String, default: '' })
  @IsOptional()
  @IsString({ message: 'description: expected a text' })
  declare description?: string | null;

  @ApiPropertyOptional({ type: [String], default: [] })
  @IsOptional()
  @IsArray({ message: TEXTS_FAULT })
  @IsString({ each: true, message: TEXTS_FAULT })
  declare tags?: string[] | null;

  @ApiPropertyOptional({
    ...RECORD,
    description: '{name: {type: string, number, boolean or list, default?}}',
  })
  @IsOptional()
  @IsObject({ message: 'parameters: expected an object' })
  declare parameters?: Record<string, QueryParameter> | null;

  @ApiPropertyOptional({
    type: String,
    description: 'Ignored, so that a query can be sent back as it was returned.',
  })
  @IsOptional()
  @IsString({ message: 'updated_at: expected a text' })
  declare updated_at?: string | null;
}

export class SavedQueryFilterDto {
  @ApiPropertyOptional({ description: 'Returns only queries with this tag.' })
  @IsOptional()
  @IsString({ message: 'tag: expected one text' })
  declare tag?: string;

  @ApiChoice(['json', 'yaml'], { default: 'json', description: 'yaml: a file that can be imported.' })
  @IsOptional()
  @IsIn(['json', 'yaml'], { message: 'format: expected json or yaml' })
  declare format?: 'json' | 'yaml';
}

export class SavedQueryModeDto {
  @ApiChoice(['replace', 'merge'], {
    default: 'merge',
    description: '`replace` also removes all others; `merge` only adds and changes.',
  })
  @IsOptional()
  @IsIn(['replace', 'merge'], { message: 'mode: expected replace or merge' })
  declare mode?: 'replace' | 'merge';
}

export class SavedQueryDto {
  @ApiProperty() declare name: string;
  @ApiProperty() declare description: string;
  @ApiProperty({ description: 'PQL.' }) declare text: string;
  @ApiProperty({ type: [String] }) declare tags: string[];
  @ApiProperty({ ...RECORD, description: '{name: {type, default?}}' }) declare parameters: object;
  @ApiProperty({ format: 'date-time' }) declare updated_at: string;
}

export class SavedQueryListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [SavedQueryDto], description: 'Saved queries in the order of their names.' })
  declare queries: SavedQueryDto[];
}

class QuerySetItemDto {
  @ApiProperty({ description: 'One line of at most 128 characters.' }) declare name: string;
  @ApiPropertyOptional() declare description?: string;
  @ApiProperty({ description: 'PQL.' }) declare text: string;
  @ApiPropertyOptional({ type: [String] }) declare tags?: string[];
  @ApiPropertyOptional({ ...RECORD, description: '{name: {type, default?}}' }) declare parameters?: object;
}

/** Documents the body; `graph/query` parses it and reports the position of errors. */
export class QuerySetDto {
  @ApiPropertyOptional({ enum: [1] }) declare version?: number;
  @ApiProperty({ type: [QuerySetItemDto] }) declare queries: QuerySetItemDto[];
}

export class QueriesReplyDto {
  @ApiProperty({ description: 'Number of saved queries after the change.' }) declare count: number;
  @ApiProperty() declare added: number;
  @ApiProperty() declare updated: number;
  @ApiProperty() declare removed: number;
}
