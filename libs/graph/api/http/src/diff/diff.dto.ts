import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { type AskedMoment, momentText, parseMoment } from '#graph/engine';
import {
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  type QueryParameters,
  type RecordDiffRequest,
  type RowDiffRequest,
} from '#graph/query';
import { DomainError } from '#platform/foundation';
import { WarningDto } from '../ingest/ingest-reply.dto.ts';
import { EXAMPLE_ENTITY_ID, SourceDto } from '../record/record.dto.ts';

const MOMENT =
  'A time (RFC 3339), or a batch, by `snapshot_version` or `Plexus-Seq` of a reply: the graph after it.';
const LIMIT_FAULT = `limit: expected a whole number from 1 to ${PAGE_LIMIT_MAX}`;

export class DiffQueryDto {
  @ApiProperty({ description: `${MOMENT} May be omitted with a cursor.`, example: '0' })
  @IsOptional()
  @IsString({ message: 'from: expected one text' })
  declare from?: string;

  @ApiPropertyOptional({ description: `${MOMENT} Default: now.` })
  @IsOptional()
  @IsString({ message: 'to: expected one text' })
  declare to?: string;

  @ApiPropertyOptional({
    description:
      'A type, a class or a label: only entities that have it at one of both moments, and relationships with an end that has it.',
    example: 'Host',
  })
  @IsOptional()
  @IsString({ message: 'type: expected one text' })
  declare type?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
  })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,3}|10000)$/, { message: LIMIT_FAULT })
  declare limit?: string;

  @ApiPropertyOptional({
    description: 'Cursor of the previous page. It does not expire before its moments do.',
  })
  @IsOptional()
  @IsString({ message: 'cursor: expected one text' })
  declare cursor?: string;
}

export function recordDiffRequest({ from, to, type, limit, cursor }: DiffQueryDto): RecordDiffRequest {
  return {
    from: from === undefined ? undefined : parseMoment(momentText(from), 'from'),
    to: to === undefined ? undefined : parseMoment(momentText(to), 'to'),
    type,
    limit: limit === undefined ? PAGE_LIMIT_DEFAULT : Number(limit),
    cursor,
  };
}

const MOMENT_VALUE = { oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }] };

export class RowDiffDto {
  @ApiProperty({ description: 'The query, at most 64 KiB, without AS OF.', example: 'FIND Host' })
  @IsString({ message: 'pql: expected a string' })
  declare pql: string;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
    ],
    description: 'Values of $name and $1.',
  })
  @Allow()
  declare params?: unknown;

  @ApiPropertyOptional({ ...MOMENT_VALUE, description: `${MOMENT} May be omitted with a cursor.` })
  @Allow()
  declare from?: string | number | null;

  @ApiPropertyOptional({ ...MOMENT_VALUE, description: `${MOMENT} Default: now.` })
  @Allow()
  declare to?: string | number | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
  })
  @IsOptional()
  @IsInt({ message: LIMIT_FAULT })
  @Min(1, { message: LIMIT_FAULT })
  @Max(PAGE_LIMIT_MAX, { message: LIMIT_FAULT })
  declare limit?: number | null;

  @ApiPropertyOptional({ type: String, description: 'Cursor of the previous page, for the same query.' })
  @IsOptional()
  @IsString({ message: 'cursor: expected a string' })
  declare cursor?: string | null;
}

export function rowDiffRequest({ pql, params, from, to, limit, cursor }: RowDiffDto): RowDiffRequest {
  return {
    pql,
    params: paramsOf(params),
    from: momentOf(from, 'from'),
    to: momentOf(to, 'to'),
    limit: limit ?? PAGE_LIMIT_DEFAULT,
    cursor: cursor ?? undefined,
  };
}

function momentOf(value: string | number | null | undefined, field: string): AskedMoment | undefined {
  return value === undefined || value === null ? undefined : parseMoment(value, field);
}

function paramsOf(value: unknown): QueryParameters | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object') return value as QueryParameters;
  throw new DomainError('INVALID_REQUEST', 'params: expected an object or an array', {
    details: { field: 'params' },
  });
}

class FieldChangeDto {
  @ApiProperty({
    example: 'state',
    description: 'A property; or `class`, `display_name`, `_labels`, of a relationship `_verb`.',
  })
  declare name: string;
  @ApiPropertyOptional({ description: 'Absent if it was not there.', example: 'stopped' })
  declare old?: unknown;
  @ApiPropertyOptional({ description: 'Absent if it is no longer there.', example: 'running' })
  declare new?: unknown;
  @ApiPropertyOptional({
    description: 'The connector that wrote the new value; absent in a deleted record.',
    example: 'aws',
  })
  declare source?: string;
  @ApiProperty({ format: 'date-time', description: 'When it got the new value.' }) declare at: string;
}

class EndDto {
  @ApiProperty({ example: EXAMPLE_ENTITY_ID }) declare id: string;
  @ApiProperty({ example: 'host' }) declare type: string;
  @ApiProperty({ example: 'web-01' }) declare key: string;
}

export class DifferenceDto {
  @ApiProperty({ enum: ['entity', 'relationship'] }) declare record: string;
  @ApiProperty({ enum: ['created', 'changed', 'deleted'] }) declare change: string;
  @ApiProperty({ example: EXAMPLE_ENTITY_ID }) declare id: string;
  @ApiPropertyOptional({ description: 'Of an entity.', example: 'host' }) declare type?: string;
  @ApiPropertyOptional({
    description: 'Of an entity, and of a relationship that has one.',
    example: 'web-01',
  })
  declare key?: string;
  @ApiPropertyOptional({ description: 'Of an entity.', example: 'Host' }) declare class?: string;
  @ApiPropertyOptional({ description: 'Of an entity.', example: 'web-01' }) declare display_name?: string;
  @ApiPropertyOptional({ description: 'Of a relationship.', example: 'RUNS' }) declare verb?: string;
  @ApiPropertyOptional({ type: EndDto, description: 'Of a relationship.' }) declare from?: EndDto;
  @ApiPropertyOptional({ type: EndDto, description: 'Of a relationship.' }) declare to?: EndDto;
  @ApiProperty({ format: 'date-time', description: 'Time of the last change.' }) declare at: string;
  @ApiProperty({ type: 'integer', description: 'The batch of the last change.' }) declare seq: number;
  @ApiPropertyOptional({
    description: 'Whose the last change was: the name of a key or a person; absent where it is not known.',
  })
  declare who?: string;
  @ApiProperty({
    type: SourceDto,
    description: 'Who wrote the new content; of a deleted record, that of the first moment.',
  })
  declare source: SourceDto;
  @ApiProperty({
    type: [FieldChangeDto],
    description: 'By name; of a new and of a deleted record, all of it.',
  })
  declare fields: FieldChangeDto[];
}

class DiffDto {
  @ApiProperty({ type: 'integer', example: 1, description: 'The batch after which the first state was.' })
  declare from: number;
  @ApiProperty({ type: 'integer', example: 7, description: 'The batch after which the second state was.' })
  declare to: number;
  @ApiPropertyOptional({ description: 'Cursor of the next page, if there may be one.' })
  declare cursor?: string;
}

export class RecordDiffReplyDto extends DiffDto {
  @ApiProperty({
    type: [DifferenceDto],
    description:
      'Entities by type and key, then relationships. A page may have fewer than its limit: the last one has no cursor.',
  })
  declare changes: DifferenceDto[];
  @ApiProperty({
    type: [WarningDto],
    description: '`UNKNOWN_CLASS`: the first page is empty, and no entity has the type.',
  })
  declare warnings: WarningDto[];
}

class RowChangeDto {
  @ApiProperty({ enum: ['came', 'went'] }) declare change: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'An entity, or an object with the columns; as in a reply of lines.',
  })
  declare row: object;
}

export class RowDiffReplyDto extends DiffDto {
  @ApiProperty({ type: 'integer', description: 'Number of rows that came, over all pages.' })
  declare came: number;
  @ApiProperty({ type: 'integer', description: 'Number of rows that went, over all pages.' })
  declare went: number;
  @ApiPropertyOptional({ type: [String] }) declare columns?: string[];
  @ApiProperty({
    type: [RowChangeDto],
    description: 'What came, in the order of the later result; then what went, in that of the earlier one.',
  })
  declare rows: RowChangeDto[];
  @ApiProperty({ type: [WarningDto] }) declare warnings: WarningDto[];
}
