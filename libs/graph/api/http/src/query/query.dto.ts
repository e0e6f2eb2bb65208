import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#graph/query';
import { WarningDto } from '../ingest/ingest-reply.dto.ts';
import { EntityDto, RelationshipDto } from '../record/record.dto.ts';

/** Documents the body; {@link parseQueryRequest} checks it. */
export class QueryDto {
  @ApiPropertyOptional({
    description: 'The query, at most 64 KiB. May be omitted with a cursor.',
    example: 'FIND Host',
  })
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

  @ApiPropertyOptional({
    description: 'Cursor of the previous page; it expires when it is idle for 60 seconds.',
  })
  declare cursor?: string;

  @ApiPropertyOptional({ description: 'Time limit of this query, at most that of the service.', minimum: 1 })
  declare timeout_ms?: number;

  @ApiPropertyOptional({ description: 'Deleted records are found too, while they are kept.' })
  declare include_deleted?: boolean;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }],
    description:
      'The graph as it was: at a time (RFC 3339), or after a batch, by `snapshot_version` or `Plexus-Seq` of a reply.',
    example: '2026-11-20T08:00:00Z',
  })
  declare as_of?: string | number;
}

export class PqlTextDto {
  @ApiProperty({ description: 'The query, at most 64 KiB.', example: 'FIND Host' })
  @IsString({ message: 'pql: expected a string' })
  declare pql: string;
}

/** A group has its aggregates as further fields. */
const GROUP = {
  type: 'object',
  required: ['key', 'count'],
  properties: {
    key: { description: 'Value of the first grouping field, or null.' },
    keys: { type: 'array', items: {}, description: 'Values of all grouping fields, if there are several.' },
    count: { type: 'integer', minimum: 0 },
  },
  additionalProperties: true,
};

class PathDto {
  @ApiProperty({ type: 'integer', minimum: 0 }) declare hops: number;
  @ApiProperty({ type: [EntityDto], description: 'The entities of the path, one more than it has hops.' })
  declare nodes: EntityDto[];
  @ApiProperty({ type: [RelationshipDto] }) declare relationships: RelationshipDto[];
}

class ImpactedDto {
  @ApiProperty({ type: EntityDto }) declare entity: EntityDto;
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Length of the shortest path to it, in hops.' })
  declare depth: number;
  @ApiProperty({ type: RelationshipDto, description: 'The last relationship of a shortest path to it.' })
  declare via: RelationshipDto;
}

class PlanDto {
  @ApiProperty({ example: 'Select' }) declare operator: string;
  @ApiProperty({ example: 'host', description: 'What the step works on, in terms of PQL.' })
  declare detail: string;
  @ApiPropertyOptional() declare estimated_rows?: number;
  @ApiPropertyOptional({ description: 'Number of rows that the step returned; with PROFILE only.' })
  declare actual_rows?: number;
  @ApiPropertyOptional({ description: 'Time of the step and of its inputs; with PROFILE only.' })
  declare ms?: number;
  @ApiProperty({ type: () => [PlanDto] }) declare children: PlanDto[];
}

export class QueryReplyDto {
  @ApiProperty({ description: 'Exact, over all pages: rows, groups, paths, impacted, else entities.' })
  declare count: number;

  @ApiProperty({ type: [EntityDto], description: 'Entities of this page, in full.' })
  declare entities: EntityDto[];

  @ApiPropertyOptional({ type: 'array', items: GROUP }) declare groups?: object[];

  @ApiPropertyOptional({ type: [String] }) declare columns?: string[];

  @ApiPropertyOptional({ type: 'array', items: { type: 'array', items: {} } }) declare rows?: unknown[][];

  @ApiPropertyOptional({ type: [PathDto] }) declare paths?: PathDto[];

  @ApiPropertyOptional({ type: [ImpactedDto] }) declare impacted?: ImpactedDto[];

  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'integer' } })
  declare impacted_by_class?: object;

  @ApiPropertyOptional({ type: PlanDto, description: 'The plan, for EXPLAIN and PROFILE.' })
  declare plan?: PlanDto;

  @ApiProperty({ type: [WarningDto] }) declare warnings: WarningDto[];

  @ApiPropertyOptional({ description: 'Cursor of the next page; missing on the last page.' })
  declare cursor?: string;

  @ApiProperty() declare snapshot_version: number;

  @ApiProperty() declare took_ms: number;
}
