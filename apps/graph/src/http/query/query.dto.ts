import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EntityDto } from '../record/record.dto.ts';
import { WarningDto } from '../ingest/ingest-reply.dto.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './query-limits.ts';

/** Documents the body; {@link parseQueryRequest} checks it. */
export class QueryDto {
  @ApiProperty({ description: 'At most 64 KiB. May be left out beside a cursor.', example: 'FIND Host' })
  declare pql?: string;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
    ],
    description: 'Values of $name and $1.',
  })
  declare params?: readonly unknown[] | Readonly<Record<string, unknown>>;

  @ApiPropertyOptional({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT })
  declare limit?: number;

  @ApiPropertyOptional({ description: 'Of the page before; expires when it is idle for 60 seconds.' })
  declare cursor?: string;

  @ApiPropertyOptional({ description: 'Shortens the service’s own time limit.', minimum: 1 })
  declare timeout_ms?: number;

  @ApiPropertyOptional({ description: 'Deleted records are found too, while they are kept.' })
  declare include_deleted?: boolean;
}

const RECORD = { type: 'object', additionalProperties: true } as const;

export class QueryReplyDto {
  @ApiProperty({ description: 'Exact, over all pages: rows, groups, paths, impacted, else entities.' })
  declare count: number;

  @ApiProperty({ type: [EntityDto], description: 'Of this page, in full.' }) declare entities: EntityDto[];

  @ApiPropertyOptional({ type: 'array', items: RECORD, description: '{key, keys?, count, …aggregates}' })
  declare groups?: object[];

  @ApiPropertyOptional({ type: [String] }) declare columns?: string[];

  @ApiPropertyOptional({ type: 'array', items: { type: 'array', items: {} } }) declare rows?: unknown[][];

  @ApiPropertyOptional({ type: 'array', items: RECORD, description: '{hops, nodes, relationships}' })
  declare paths?: object[];

  @ApiPropertyOptional({ type: 'array', items: RECORD, description: '{entity, depth, via}' })
  declare impacted?: object[];

  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'integer' } })
  declare impacted_by_class?: object;

  @ApiPropertyOptional({ ...RECORD, description: 'Of EXPLAIN and PROFILE.' }) declare plan?: object;

  @ApiProperty({ type: [WarningDto] }) declare warnings: WarningDto[];

  @ApiPropertyOptional({ description: 'Present when there is more.' }) declare cursor?: string;

  @ApiProperty() declare snapshot_version: number;

  @ApiProperty() declare took_ms: number;
}
