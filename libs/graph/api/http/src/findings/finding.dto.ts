import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, ValidateIf } from 'class-validator';
import { DECISION_DAYS_MAX, DECISION_STATES, type DecisionState, SEVERITIES } from '#graph/policy';
import { QueryTextDto } from '../policies/findings.dto.ts';

const STATES = ['open', ...DECISION_STATES];

/** What is decided about a finding; `graph/policy` checks its texts and its end. */
export class DecisionDto {
  @ApiProperty({
    enum: DECISION_STATES,
    description: 'waived: it is no violation here; accepted: it is one, and its risk is taken.',
  })
  @IsIn(DECISION_STATES, { message: `state: expected one of ${DECISION_STATES.join(', ')}` })
  declare state: DecisionState;

  @ApiProperty({ maxLength: 1000 })
  @IsString({ message: 'reason: expected a text' })
  declare reason: string;

  @ApiProperty({
    example: '2026-12-31',
    description: `A date, which means its first instant in UTC, or an instant; at most ${DECISION_DAYS_MAX} days from now.`,
  })
  @IsString({ message: 'until: expected a text' })
  declare until: string;
}

export class AssignmentDto {
  @ApiProperty({ type: String, nullable: true, maxLength: 200, description: 'Null: nobody.' })
  @ValidateIf(({ assignee }: AssignmentDto) => assignee !== null)
  @IsString({ message: 'assignee: expected a text or null' })
  declare assignee: string | null;
}

class FindingWaiverDto {
  @ApiProperty() declare reason: string;
  @ApiProperty({ type: String, nullable: true, description: 'The name of the key, or the signed-in person.' })
  declare by: string | null;
  @ApiProperty({ type: String, nullable: true }) declare until: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) declare at: string | null;
  @ApiProperty({
    enum: ['rule', 'decision'],
    description: 'rule: an exception in the definition of the rule.',
  })
  declare origin: string;
}

class LapsedDecisionDto extends DecisionDto {
  @ApiProperty() declare by: string;
  @ApiProperty({ format: 'date-time' }) declare at: string;
  @ApiProperty({
    enum: ['expired', 'rule_changed'],
    description: 'rule_changed: the rule has another query or other parameters by now.',
  })
  declare why: string;
}

class GivenAssignmentDto {
  @ApiProperty() declare assignee: string;
  @ApiProperty() declare by: string;
  @ApiProperty({ format: 'date-time' }) declare at: string;
}

export class ListedFindingDto {
  @ApiProperty({ description: 'Id of the finding, the same in every run.' }) declare finding_id: string;
  @ApiProperty() declare rule_id: string;
  @ApiProperty({ description: 'Of the rule.' }) declare name: string;
  @ApiProperty({ enum: SEVERITIES }) declare severity: string;
  @ApiProperty({ example: 'host web-02', description: 'Type and name of the entity, or keys of the group.' })
  declare label: string;
  @ApiProperty({ type: String, nullable: true }) declare class: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Null if the finding is a group.' })
  declare entity_id: string | null;
  @ApiProperty({ enum: STATES }) declare state: string;
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'Null within a scope, as opened_at: not known there.',
  })
  declare first_seen: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'When it was first seen, or was open again.',
  })
  declare opened_at: string | null;
  @ApiProperty({ format: 'date-time' }) declare evaluated_at: string;
  @ApiProperty({
    enum: ['Pass', 'Fail', 'Error', 'NoData'],
    description: 'Of the last run of the rule: with Error and NoData the finding is of an earlier run.',
  })
  declare rule_status: string;
  @ApiPropertyOptional({ type: FindingWaiverDto, description: 'Why it does not count; only if it does not.' })
  declare waiver?: FindingWaiverDto;
  @ApiPropertyOptional({ type: LapsedDecisionDto, description: 'A decision that holds no more.' })
  declare lapsed?: LapsedDecisionDto;
  @ApiPropertyOptional({ type: GivenAssignmentDto }) declare assignment?: GivenAssignmentDto;
  @ApiProperty({ type: QueryTextDto, description: 'Shows the rows or the path that the rule matched.' })
  declare proof: QueryTextDto;
}

class FindingStatesDto {
  @ApiProperty() declare open: number;
  @ApiProperty() declare waived: number;
  @ApiProperty() declare accepted: number;
}

export class FindingListDto {
  @ApiProperty({ description: 'Over all pages.' }) declare count: number;
  @ApiProperty({ type: FindingStatesDto, description: 'Of the same filter, in every state.' })
  declare states: FindingStatesDto;
  @ApiProperty({
    description:
      'Enabled rules without a result, in error, or with more than 10,000: they may have further ones.',
  })
  declare unknown_count: number;
  @ApiProperty({ type: [String], description: 'Of all findings, for filters.' }) declare classes: string[];
  @ApiProperty({ type: [String], description: 'Of all findings, for filters.' }) declare assignees: string[];
  @ApiProperty({ type: [ListedFindingDto] }) declare findings: ListedFindingDto[];
}
