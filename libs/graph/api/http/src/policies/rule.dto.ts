import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SEVERITIES } from '#graph/policy';

const RECORD = { type: 'object', additionalProperties: true } as const;

class FrameworkControlDto {
  @ApiProperty({ example: 'CIS-Controls-v8' }) declare framework: string;
  @ApiProperty({ example: '10.1' }) declare control: string;
  @ApiPropertyOptional() declare title?: string;
}

class RuleExceptionDto {
  @ApiProperty({
    description:
      'A condition as after WITH; for a grouped query, as after HAVING; in Cypher, on the columns.',
  })
  declare match: string;
  @ApiProperty() declare reason: string;
  @ApiPropertyOptional() declare approver?: string;
  @ApiPropertyOptional({ example: '2027-01-01' }) declare expires?: string;
}

/** Documents the body; the parser of `libs/policy` checks it. */
export class RuleDto {
  @ApiPropertyOptional({ pattern: '^[a-z0-9][a-z0-9._-]*$' }) declare id?: string;
  @ApiPropertyOptional({ description: 'Default: the id.' }) declare name?: string;
  @ApiPropertyOptional({ enum: SEVERITIES, default: 'medium' }) declare severity?: string;
  @ApiPropertyOptional() declare description?: string;
  @ApiPropertyOptional({ description: 'PQL; what it finds violates the rule. A rule has this or `cypher`.' })
  declare query?: string;
  @ApiPropertyOptional({ description: 'A Cypher statement that reads; its rows violate the rule.' })
  declare cypher?: string;
  @ApiPropertyOptional({ description: 'What could violate the rule, in the language of the rule.' })
  declare population?: string;
  @ApiPropertyOptional({ ...RECORD, description: '{name: {type, default?}}' }) declare parameters?: object;
  @ApiPropertyOptional({ ...RECORD, description: '{rows: n}, {max: n} or {min: n}', default: { rows: 0 } })
  declare expect?: object;
  @ApiPropertyOptional({
    type: [String],
    description: 'Fields that name a finding over runs; default: the id.',
  })
  declare identity?: string[];
  @ApiPropertyOptional({ type: [FrameworkControlDto] }) declare frameworks?: FrameworkControlDto[];
  @ApiPropertyOptional({ type: [String] }) declare tags?: string[];
  @ApiPropertyOptional({
    default: 'manual',
    description: 'manual, every:1h, cron:0 * * * *, on_sync:<connector>, on_sync:*',
  })
  declare schedule?: string;
  @ApiPropertyOptional() declare remediation?: string;
  @ApiPropertyOptional({ type: [RuleExceptionDto] }) declare exceptions?: RuleExceptionDto[];
  @ApiPropertyOptional({ default: true }) declare enabled?: boolean;
  @ApiPropertyOptional({
    type: [String],
    description: 'Words of the queries that are not missed where the data does not have them.',
  })
  declare may_be_absent?: string[];
  @ApiPropertyOptional({
    type: 'array',
    items: RECORD,
    description: '{name, entities, relationships, params, expect}',
  })
  declare tests?: object[];
}

export class RuleSetDto {
  @ApiPropertyOptional({ enum: [1] }) declare version?: number;
  @ApiProperty({ type: [RuleDto] }) declare rules: RuleDto[];
}

class LastRunDto {
  @ApiProperty() declare evaluation_id: string;
  @ApiProperty() declare evaluated_at: string;
  @ApiProperty({ enum: ['Pass', 'Fail', 'Error', 'NoData'] }) declare status: string;
  @ApiProperty() declare violation_count: number;
  @ApiProperty() declare waived_count: number;
  @ApiProperty({
    description: 'Whether data that the rule depends on, or its waived findings, may have changed since.',
  })
  declare data_changed: boolean;
  @ApiProperty({ description: 'Whether the rule passes only because its findings are waived by decisions.' })
  declare is_waived: boolean;
  @ApiPropertyOptional({
    description: 'Those of the waived ones that a decision waives, and no exception of the rule.',
  })
  declare decided_count?: number;
}

export class RuleReplyDto extends RuleDto {
  @ApiProperty({ enum: ['file', 'api'] }) declare origin: string;
  @ApiPropertyOptional({ type: LastRunDto }) declare last_run?: LastRunDto;
}

export class RuleListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [RuleReplyDto] }) declare rules: RuleReplyDto[];
}

export class RulesReplyDto {
  @ApiProperty({ description: 'Number of rules of the API after the change.' }) declare loaded: number;
  @ApiProperty() declare added: number;
  @ApiProperty() declare updated: number;
  @ApiProperty() declare removed: number;
}
