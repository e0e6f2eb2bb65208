import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
} from 'class-validator';
import { FieldPath } from '#graph/model';
import {
  EVALUATION_TRIGGERS,
  type EvaluationRequest,
  SEVERITIES,
  type Severity,
  VIOLATIONS_MAX,
} from '#graph/policy';
import type { ParameterValue } from '#graph/query';

const TEXTS_MAX = 10_000;
const LIMIT_FAULT = `limit: expected a whole number from 0 to ${VIOLATIONS_MAX}`;
const SAFE_MAX = Number.MAX_SAFE_INTEGER;
const LARGE_INTEGER = `expected an integer from -${SAFE_MAX} to ${SAFE_MAX}; send a larger one as a string`;

/** In a body. */
const MOMENT = { oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }] };
const RECORD = { type: 'object', additionalProperties: true } as const;
export const STATUSES = ['Pass', 'Fail', 'Error', 'NoData', 'Skipped'];
const SCORE = { type: Number, nullable: true } as const;

/** The rules to evaluate, and their parameters. */
export class EvaluationRequestDto {
  @ApiPropertyOptional({ type: [String], description: 'Default: every rule.' })
  @IsOptional()
  @IsArray({ message: 'rule_ids: expected a list of texts' })
  @ArrayMaxSize(TEXTS_MAX, { message: `rule_ids: expected at most ${TEXTS_MAX}` })
  @IsString({ each: true, message: 'rule_ids: expected a list of texts' })
  declare rule_ids?: string[] | null;

  @ApiPropertyOptional({ type: [String] })
  @IsOptional()
  @IsArray({ message: 'frameworks: expected a list of texts' })
  @ArrayMaxSize(TEXTS_MAX, { message: `frameworks: expected at most ${TEXTS_MAX}` })
  @IsString({ each: true, message: 'frameworks: expected a list of texts' })
  declare frameworks?: string[] | null;

  @ApiPropertyOptional({
    enum: SEVERITIES,
    description: 'Returns only rules of this severity or a higher one.',
  })
  @IsOptional()
  @IsIn(SEVERITIES, { message: `severity_min: expected one of ${SEVERITIES.join(', ')}` })
  declare severity_min?: Severity | null;

  @ApiPropertyOptional({
    ...RECORD,
    description: 'Values in place of the defaults; findings and posture stay unchanged.',
  })
  @IsOptional()
  @IsObject({ message: 'params: expected an object' })
  declare params?: Readonly<Record<string, ParameterValue>> | null;

  @ApiPropertyOptional({
    type: 'integer',
    default: 100,
    maximum: VIOLATIONS_MAX,
    description: 'Violations shown of each rule; counts are exact.',
  })
  @IsOptional()
  @IsInt({ message: LIMIT_FAULT })
  @Min(0, { message: LIMIT_FAULT })
  @Max(VIOLATIONS_MAX, { message: LIMIT_FAULT })
  declare limit?: number | null;

  @ApiPropertyOptional({
    ...MOMENT,
    description:
      'The graph as it was: at a time (RFC 3339), or after a batch, by `snapshot_version` or `Plexus-Seq` of a reply. The result is not stored.',
  })
  @Allow()
  declare as_of?: string | number | null;
}

/** Each rule checks the kinds of its parameters. Throws INVALID_REQUEST for an inexact integer. */
export function evaluationRequest(asked: EvaluationRequestDto): EvaluationRequest {
  const params = asked.params ?? undefined;
  const isLarge = (value: unknown): boolean => typeof value === 'bigint';
  const large = Object.entries(params ?? {}).find(([, value]) => [value].flat().some(isLarge));
  if (large !== undefined) throw new FieldPath().fault(`params.${large[0]}`, LARGE_INTEGER);
  return {
    ruleIds: asked.rule_ids ?? undefined,
    frameworks: asked.frameworks ?? undefined,
    severityMin: asked.severity_min ?? undefined,
    params,
    limit: asked.limit ?? undefined,
  };
}

export class PopulationDto {
  @ApiProperty() declare total: number;
  @ApiProperty() declare passing: number;
}

export class ViolationFactsDto {
  @ApiProperty({ description: 'Id of the finding, the same in every run.' }) declare finding_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null if the finding is a group.' })
  declare entity_id: string | null;
  @ApiProperty({ type: String, nullable: true }) declare type: string | null;
  @ApiProperty({ type: String, nullable: true }) declare key: string | null;
  @ApiProperty({ type: String, nullable: true }) declare class: string | null;
  @ApiProperty() declare display_name: string;
  @ApiPropertyOptional({
    type: 'array',
    items: {},
    description: 'Values of the grouping fields, if the finding is a group.',
  })
  declare keys?: unknown[];
  @ApiPropertyOptional({ ...RECORD, description: '{reason, approver?, expires?}' }) declare waived?: object;
}

class ViolationDto extends ViolationFactsDto {
  @ApiProperty() declare first_seen: string;
}

class RuleOutcomeDto {
  @ApiProperty() declare rule_id: string;
  @ApiProperty() declare name: string;
  @ApiProperty({ enum: SEVERITIES }) declare severity: string;
  @ApiProperty({ enum: STATUSES }) declare status: string;
  @ApiProperty({ description: 'Number of violations without waived ones; never truncated.' })
  declare violation_count: number;
  @ApiProperty() declare waived_count: number;
  @ApiPropertyOptional({ type: PopulationDto }) declare population?: PopulationDto;
  @ApiProperty({ type: String, nullable: true }) declare error: string | null;
  @ApiProperty() declare duration_ms: number;
}

export class RuleWarningDto {
  @ApiProperty({ example: 'UNKNOWN_CLASS' }) declare code: string;
  @ApiProperty() declare message: string;
  @ApiProperty({ type: String, nullable: true, description: 'The known word that is spelt most like it.' })
  declare nearest: string | null;
}

class RuleResultDto extends RuleOutcomeDto {
  @ApiProperty({ type: [ViolationDto] }) declare violations: ViolationDto[];
  @ApiPropertyOptional({
    type: [RuleWarningDto],
    description:
      'Of its queries on this data: a name that nothing has, for example. Left out when there are none.',
  })
  declare warnings?: RuleWarningDto[];
}

class EvaluationFactsDto {
  @ApiProperty() declare evaluation_id: string;
  @ApiProperty() declare snapshot_version: number;
  @ApiProperty() declare started_at: string;
  @ApiProperty() declare duration_ms: number;
  @ApiProperty({ description: 'Number of rules.' }) declare total: number;
  @ApiProperty() declare pass: number;
  @ApiProperty() declare fail: number;
  @ApiProperty() declare error: number;
  @ApiProperty({ description: 'Number of rules without any data to check.' })
  declare no_data: number;
  @ApiProperty() declare skipped: number;
  @ApiProperty({ description: 'Waived violations, over all rules.' }) declare waived: number;
}

export class EvaluationDto extends EvaluationFactsDto {
  @ApiProperty({ type: [RuleResultDto] }) declare results: RuleResultDto[];
  @ApiPropertyOptional({
    description:
      'Why the evaluation is not in the history: it is as of an earlier moment; or the store takes no writes, and it counts for posture until a later one is stored.',
  })
  declare not_stored?: string;
}

class EvaluationSummaryDto extends EvaluationFactsDto {
  @ApiProperty({ enum: EVALUATION_TRIGGERS }) declare trigger: string;
  @ApiProperty({ description: 'Number of new findings since the previous run of each rule.' })
  declare new_count: number;
  @ApiProperty() declare resolved_count: number;
}

export class EvaluationListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [EvaluationSummaryDto] }) declare evaluations: EvaluationSummaryDto[];
}

class FindingNoteDto {
  @ApiProperty() declare finding_id: string;
  @ApiProperty({ example: 'host web-02' }) declare label: string;
  @ApiPropertyOptional({ example: 'Host', description: 'Class of the entity.' }) declare class?: string;
  @ApiProperty() declare first_seen: string;
}

class PastResultDto extends RuleOutcomeDto {
  @ApiProperty() declare new_count: number;
  @ApiProperty() declare resolved_count: number;
  @ApiProperty({ type: [FindingNoteDto], description: 'The first 100 of them.' })
  declare new: FindingNoteDto[];
  @ApiProperty({ type: [FindingNoteDto], description: 'The first 100 of them.' })
  declare resolved: FindingNoteDto[];
}

export class PastEvaluationDto extends EvaluationSummaryDto {
  @ApiProperty({ type: [PastResultDto] }) declare results: PastResultDto[];
}

class ControlDto {
  @ApiProperty() declare framework: string;
  @ApiProperty() declare control_id: string;
  @ApiProperty() declare title: string;
  @ApiProperty({ enum: ['Pass', 'Fail', 'Partial', 'NoData', 'NotMapped'] }) declare status: string;
  @ApiProperty() declare rule_count: number;
  @ApiProperty() declare pass_count: number;
  @ApiProperty({ description: 'Number of failed rules, rules with an error included.' })
  declare fail_count: number;
  @ApiProperty() declare error_count: number;
  @ApiProperty() declare no_data_count: number;
}

class FailingRuleDto {
  @ApiProperty() declare rule_id: string;
  @ApiProperty() declare name: string;
  @ApiProperty({ enum: SEVERITIES }) declare severity: string;
  @ApiProperty({ enum: ['Fail', 'Error'] }) declare status: string;
  @ApiProperty() declare violation_count: number;
}

export class PostureDto {
  @ApiProperty({ description: '`all` without a filter.' }) declare framework: string;
  @ApiProperty({
    ...SCORE,
    description: 'Share of the rules with data that passed, 0..1; null if no rule had data.',
  })
  declare overall_score: number | null;
  @ApiProperty({
    ...SCORE,
    description: 'Score weighted by severity: critical 10, high 5, medium 3, low 1, info 0.',
  })
  declare weighted_score: number | null;
  @ApiProperty() declare rules_with_data: number;
  @ApiProperty() declare rules_without_data: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Time of the oldest last run: no score is newer.',
  })
  declare evaluated_at: string | null;
  @ApiProperty({ description: 'Evaluated rules whose data may have changed since their last run.' })
  declare outdated_rules: number;
  @ApiProperty({ type: [ControlDto] }) declare controls: ControlDto[];
  @ApiProperty({ ...RECORD, description: '{critical: {total, pass, fail, no_data}, …}' })
  declare by_severity: object;
  @ApiProperty({ type: [FailingRuleDto] }) declare failing_rules: FailingRuleDto[];
  @ApiPropertyOptional() declare note?: string;
}
