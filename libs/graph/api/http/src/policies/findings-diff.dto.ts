import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { parseMoment } from '#graph/engine';
import { type PastRequest, SEVERITIES } from '#graph/policy';
import type { AskedSpan } from '#graph/query';
import { evaluationRequest, EvaluationRequestDto, STATUSES } from './evaluation.dto.ts';

export const FINDINGS_DIFF_EXAMPLES = {
  all: { summary: 'of every rule', value: { from: 0 } },
  severe: { summary: 'of the severe rules', value: { from: 0, severity_min: 'high', limit: 10 } },
};

const SCORE = { type: Number, nullable: true } as const;
const MOMENT = { oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }] };
const MOMENT_TEXT =
  'A time (RFC 3339), or a batch, by `snapshot_version` or `Plexus-Seq` of a reply: the graph after it.';

export class FindingsDiffRequestDto extends OmitType(EvaluationRequestDto, ['params', 'as_of']) {
  @ApiProperty({ ...MOMENT, description: MOMENT_TEXT })
  @Allow()
  declare from: string | number;

  @ApiPropertyOptional({ ...MOMENT, description: `${MOMENT_TEXT} Default: now.` })
  @Allow()
  declare to?: string | number | null;
}

export function findingsDiffRequest({ from, to, ...body }: FindingsDiffRequestDto): {
  readonly span: AskedSpan;
  readonly request: PastRequest;
} {
  const second = to === undefined || to === null ? undefined : parseMoment(to, 'to');
  return { span: { from: parseMoment(from, 'from'), to: second }, request: evaluationRequest(body) };
}

class RuleStateDto {
  @ApiProperty({ enum: STATUSES }) declare status: string;
  @ApiProperty() declare violation_count: number;
  @ApiProperty() declare waived_count: number;
  @ApiProperty({ type: String, nullable: true }) declare error: string | null;
}

class ComparedFindingDto {
  @ApiProperty() declare finding_id: string;
  @ApiProperty({ example: 'host web-02' }) declare label: string;
  @ApiPropertyOptional({ example: 'Host', description: 'Class of the entity.' }) declare class?: string;
}

class ChangedFindingDto extends ComparedFindingDto {
  @ApiProperty({ description: 'Whether it is waived at the second moment only, or at the first only.' })
  declare waived: boolean;
}

class RuleDiffDto {
  @ApiProperty() declare rule_id: string;
  @ApiProperty() declare name: string;
  @ApiProperty({ enum: SEVERITIES }) declare severity: string;
  @ApiProperty({ type: RuleStateDto }) declare before: RuleStateDto;
  @ApiProperty({ type: RuleStateDto }) declare after: RuleStateDto;
  @ApiProperty({ type: 'integer', description: 'Waived ones included.' }) declare opened_count: number;
  @ApiProperty({ type: 'integer' }) declare closed_count: number;
  @ApiProperty({ type: [ComparedFindingDto] }) declare opened: ComparedFindingDto[];
  @ApiProperty({ type: [ComparedFindingDto] }) declare closed: ComparedFindingDto[];
  @ApiProperty({ type: [ChangedFindingDto] }) declare changed: ChangedFindingDto[];
  @ApiPropertyOptional({
    description: 'Why opened or closed findings may be missing: they are unknown then, not none.',
  })
  declare unknown?: string;
}

class ScoreDto {
  @ApiProperty({ ...SCORE, description: 'Share of the rules with data that passed; null if none had data.' })
  declare overall_score: number | null;
  @ApiProperty({ ...SCORE, description: 'Score weighted by severity.' }) declare weighted_score:
    number | null;
  @ApiProperty() declare rules_with_data: number;
  @ApiProperty() declare rules_without_data: number;
}

class ScoresDto {
  @ApiProperty({ type: ScoreDto }) declare before: ScoreDto;
  @ApiProperty({ type: ScoreDto }) declare after: ScoreDto;
}

export class FindingsDiffDto {
  @ApiProperty({ type: 'integer', description: 'The batch after which the first state was.' })
  declare from: number;
  @ApiProperty({ type: 'integer', description: 'The batch after which the second state was.' })
  declare to: number;
  @ApiProperty({ type: 'integer' }) declare opened: number;
  @ApiProperty({ type: 'integer' }) declare closed: number;
  @ApiProperty({ type: ScoresDto, description: 'Scores of the chosen rules, as they are today.' })
  declare score: ScoresDto;
  @ApiProperty({ type: [RuleDiffDto], description: 'Rules that differ, or whose difference is unknown.' })
  declare rules: RuleDiffDto[];
}
