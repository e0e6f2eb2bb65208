import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '#graph/query';
import { WarningDto } from '../ingest/ingest-reply.dto.ts';

/** Documents the body; {@link parseCypherRequest} checks it. */
export class CypherDto {
  @ApiProperty({
    description: 'The statement, at most 1 MiB.',
    example: 'MATCH (h:Host) RETURN h.name LIMIT 3',
  })
  declare cypher: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Values of $name.' })
  declare params?: Readonly<Record<string, unknown>>;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
    description: 'More rows are QUERY_TOO_LARGE. Lines have no limit.',
  })
  declare limit?: number;

  @ApiPropertyOptional({ description: 'Time limit of this query, at most that of the service.', minimum: 1 })
  declare timeout_ms?: number;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }],
    description:
      'The graph as it was, for a statement that reads: at a time (RFC 3339), or after a batch, by `snapshot_version` or `Plexus-Seq` of a reply.',
  })
  declare as_of?: string | number;
}

export class CypherCountersDto {
  @ApiProperty({ type: 'integer' }) declare nodes_created: number;
  @ApiProperty({ type: 'integer' }) declare nodes_deleted: number;
  @ApiProperty({ type: 'integer' }) declare relationships_created: number;
  @ApiProperty({ type: 'integer' }) declare relationships_deleted: number;
  @ApiProperty({ type: 'integer' }) declare properties_set: number;
  @ApiProperty({ type: 'integer' }) declare labels_added: number;
  @ApiProperty({ type: 'integer' }) declare labels_removed: number;
  @ApiProperty({ type: 'integer' }) declare indexes_added: number;
  @ApiProperty({ type: 'integer' }) declare indexes_removed: number;
  @ApiProperty({ type: 'integer' }) declare constraints_added: number;
  @ApiProperty({ type: 'integer' }) declare constraints_removed: number;
}

export class PlanOperatorDto {
  @ApiProperty({ example: 'NodeByLabelScan' }) declare operator: string;
  @ApiProperty({ type: [String], description: 'Columns of the result; empty below the root.' })
  declare identifiers: string[];
  @ApiProperty({ example: 'h:host' }) declare details: string;
  @ApiPropertyOptional({ type: 'integer' }) declare estimated_rows?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'After PROFILE, as hits and time_ms.' })
  declare rows?: number;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'Reads of the graph; absent where a search of whole sets counts none.',
  })
  declare hits?: number;
  @ApiPropertyOptional({ description: 'Without that of its children.' }) declare time_ms?: number;
  @ApiProperty({ type: () => [PlanOperatorDto], description: 'Where its rows come from.' })
  declare children: PlanOperatorDto[];
}

export class CypherReplyDto {
  @ApiProperty({ type: [String] }) declare columns: string[];

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: {} },
    description:
      'A value for each column: a node is its entity, a path an object of nodes and relationships. Integers ' +
      'beyond 2^53, NaN and the infinities are strings.',
  })
  declare rows: unknown[][];

  @ApiProperty({ type: CypherCountersDto }) declare counters: CypherCountersDto;
  @ApiProperty({ type: [WarningDto] }) declare warnings: WarningDto[];
  @ApiProperty({ type: 'integer' }) declare snapshot_version: number;

  @ApiPropertyOptional({ type: PlanOperatorDto, description: 'After EXPLAIN and PROFILE.' })
  declare plan?: PlanOperatorDto;
}
