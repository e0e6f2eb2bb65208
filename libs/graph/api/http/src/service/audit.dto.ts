import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';

const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;

export class AuditQueryDto {
  @ApiPropertyOptional({
    example: '2026-11-20',
    description: 'A day or a time in UTC; default: 24 hours ago.',
  })
  @IsOptional()
  @Matches(TIME, {
    message: 'since: expected a day such as 2026-11-20, or a time such as 2026-11-20T12:00:00Z',
  })
  declare since?: string;

  @ApiPropertyOptional({ example: 'ci', description: 'The whole name of the key.' })
  @IsOptional()
  @IsString({ message: 'who: expected one text' })
  declare who?: string;

  @ApiPropertyOptional({
    example: '/v1/ingest',
    description: 'A part of the operation, or of what it changes.',
  })
  @IsOptional()
  @IsString({ message: 'what: expected one text' })
  declare what?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, default: 100 })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,2}|1000)$/, { message: 'limit: expected a whole number from 1 to 1000' })
  declare limit?: string;
}

class AuditEventDto {
  @ApiProperty({ example: 1042, description: 'Its number in the trail.' }) declare n: number;
  @ApiProperty({ format: 'date-time' }) declare time: string;
  @ApiProperty({ example: 'ci', description: 'The name of the key.' }) declare who: string;
  @ApiPropertyOptional({ example: 'trivy', description: 'The only source as which the key writes.' })
  declare source?: string | undefined;
  @ApiProperty({ example: '10.0.0.7', description: 'The address of the client.' }) declare from: string;
  @ApiProperty({ example: 'POST /v1/ingest/sync' }) declare what: string;
  @ApiPropertyOptional({ example: 'trivy', description: 'The source, or the documents, that are changed.' })
  declare target?: string | undefined;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { entities_put: 12, relationships_delete: 1 },
  })
  declare counts?: Readonly<Record<string, number>> | undefined;
  @ApiPropertyOptional({ example: 5120, description: 'Sequence number of the change in the log.' })
  declare seq?: number | undefined;
  @ApiProperty({ enum: ['done', 'failed', 'refused', 'torn', 'lost'] }) declare outcome: string;
  @ApiPropertyOptional({ example: 403, description: 'Of a refusal.' }) declare status?: number | undefined;
  @ApiPropertyOptional() declare request_id?: string | undefined;
  @ApiProperty({ description: 'The hash of its line.' }) declare hash: string;
}

export class AuditReplyDto {
  @ApiProperty({ type: [AuditEventDto], description: 'The newest first.' }) declare events: AuditEventDto[];
  @ApiProperty({ description: 'Whether older events match as well.' }) declare has_more: boolean;
}

export const AUDIT_EXAMPLE: AuditReplyDto = {
  events: [
    {
      n: 1042,
      time: '2026-11-21T06:00:00.000Z',
      who: 'ci',
      source: 'trivy',
      from: '10.0.0.7',
      what: 'POST /v1/ingest/sync',
      target: 'trivy',
      counts: { entities_put: 12, relationships_delete: 1 },
      seq: 5120,
      outcome: 'done',
      request_id: '3f0c5e1a-6a3b-4a53-9d8e-0b1f6a1f2c11',
      hash: '5f6c1c1d8a2b4e0f9d3a7b6c5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f',
    },
  ],
  has_more: false,
};
