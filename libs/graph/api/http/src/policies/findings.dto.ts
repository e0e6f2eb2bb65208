import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EVALUATION_TRIGGERS, SEVERITIES } from '#graph/policy';
import { PopulationDto, RuleWarningDto, STATUSES, ViolationFactsDto } from './evaluation.dto.ts';

const RECORD = { type: 'object', additionalProperties: true } as const;
const SCORE = { type: Number, nullable: true } as const;

class QueryTextDto {
  @ApiPropertyOptional({ description: 'Of a rule in PQL.' }) declare pql?: string;
  @ApiPropertyOptional({ description: 'Of a rule in Cypher.' }) declare cypher?: string;
  @ApiProperty({ ...RECORD, description: 'The defaults of the rule.' }) declare params: object;
}

class FindingDto extends ViolationFactsDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null when no evaluation has counted it yet, and for a key with a scope.',
  })
  declare first_seen: string | null;
  @ApiProperty({ type: QueryTextDto, description: 'Shows the rows or the path that the rule matched.' })
  declare proof: QueryTextDto;
}

export class RuleFindingsDto {
  @ApiProperty() declare rule_id: string;
  @ApiProperty() declare name: string;
  @ApiProperty({ enum: SEVERITIES }) declare severity: string;
  @ApiProperty({ enum: STATUSES }) declare status: string;
  @ApiProperty({ format: 'date-time' }) declare looked_at: string;
  @ApiProperty() declare snapshot_version: number;
  @ApiProperty({ type: QueryTextDto }) declare query: QueryTextDto;
  @ApiPropertyOptional({ type: QueryTextDto }) declare population_query?: QueryTextDto;
  @ApiPropertyOptional({ type: PopulationDto }) declare population?: PopulationDto;
  @ApiProperty({ description: 'Number of violations without waived ones; never truncated.' })
  declare violation_count: number;
  @ApiProperty() declare waived_count: number;
  @ApiProperty({ type: [FindingDto], description: 'Findings that are not waived come first.' })
  declare findings: FindingDto[];
  @ApiPropertyOptional({
    type: [RuleWarningDto],
    description: 'Warnings of the rule; missing if there are none.',
  })
  declare warnings?: RuleWarningDto[];
  @ApiProperty({ type: String, nullable: true }) declare error: string | null;
}

class EntityFindingDto {
  @ApiProperty({ description: 'Id of the finding, the same in every run.' }) declare finding_id: string;
  @ApiProperty() declare rule_id: string;
  @ApiProperty() declare name: string;
  @ApiProperty({ enum: SEVERITIES }) declare severity: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null where it is not known: for a key with a scope.',
  })
  declare first_seen: string | null;
  @ApiProperty({ format: 'date-time', description: 'When the rule was evaluated last.' })
  declare evaluated_at: string;
}

export class EntityFindingsDto {
  @ApiProperty() declare count: number;
  @ApiProperty({
    description: 'Enabled rules without a result: not run since their last change, or failed.',
  })
  declare unknown_count: number;
  @ApiProperty({ type: [EntityFindingDto], description: 'Findings of the entity, waived ones included.' })
  declare findings: EntityFindingDto[];
}

class ScorePointDto {
  @ApiProperty() declare evaluation_id: string;
  @ApiProperty({ format: 'date-time' }) declare at: string;
  @ApiProperty({ enum: EVALUATION_TRIGGERS }) declare trigger: string;
  @ApiProperty() declare snapshot_version: number;
  @ApiProperty({
    ...SCORE,
    description: 'Share of the rules with data that passed; null if no rule had data.',
  })
  declare overall_score: number | null;
  @ApiProperty({ ...SCORE, description: 'Score weighted by severity.' }) declare weighted_score:
    number | null;
  @ApiProperty() declare rules_with_data: number;
  @ApiProperty() declare rules_without_data: number;
  @ApiProperty() declare pass_count: number;
  @ApiProperty() declare fail_count: number;
  @ApiProperty() declare error_count: number;
  @ApiProperty({ description: 'Enabled rules that were never evaluated in their present form.' })
  declare not_evaluated_count: number;
}

export class ScoreHistoryDto {
  @ApiProperty({ description: '`all` without a filter.' }) declare framework: string;
  @ApiProperty({ description: 'Number of stored points.' }) declare count: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Time of the oldest last run: the last point is no newer.',
  })
  declare evaluated_at: string | null;
  @ApiProperty({ description: 'Evaluated rules whose data may have changed since their last run.' })
  declare outdated_rules: number;
  @ApiProperty({ type: [ScorePointDto], description: 'The last `limit` points, the oldest first.' })
  declare points: ScorePointDto[];
}
