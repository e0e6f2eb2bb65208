import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import {
  DECISION_STATES,
  FINDING_ORDERS,
  type FindingFilter,
  type FindingOrder,
  type FindingState,
  SEVERITIES,
  type Severity,
} from '#graph/policy';
import type { Scope } from '#graph/model';
import { DomainError, momentMs } from '#platform/foundation';
import { ApiChoice } from '#platform/http';

const STATES = ['open', ...DECISION_STATES];
const FORMATS = ['json', 'csv', 'sarif'] as const;
const AGE = /^(\d{1,5})([mhd])$/;
const AGE_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const TIME_FAULT = 'expected an age such as 24h or 7d, a day, or an RFC 3339 instant with its offset';

export class FindingListQueryDto {
  @ApiPropertyOptional({ example: 'critical,high', description: 'One or more severities.' })
  @IsOptional()
  @IsString({ message: 'severity: expected one text' })
  declare severity?: string;

  @ApiPropertyOptional({ example: 'open', description: 'One or more of open, waived, accepted.' })
  @IsOptional()
  @IsString({ message: 'state: expected one text' })
  declare state?: string;

  @ApiPropertyOptional({ description: 'The id of a rule.' })
  @IsOptional()
  @IsString({ message: 'rule: expected one text' })
  declare rule?: string;

  @ApiPropertyOptional({ description: 'The class of the entities.' })
  @IsOptional()
  @IsString({ message: 'class: expected one text' })
  declare class?: string;

  @ApiPropertyOptional({ description: 'Who looks after them; empty: nobody.' })
  @IsOptional()
  @IsString({ message: 'assignee: expected one text' })
  declare assignee?: string;

  @ApiPropertyOptional({
    description: 'Opened then or later: an age such as 24h or 7d, a day, or an instant.',
  })
  @IsOptional()
  @IsString({ message: 'opened_since: expected one text' })
  declare opened_since?: string;

  @ApiPropertyOptional({ description: 'Opened before: an age such as 24h or 7d, a day, or an instant.' })
  @IsOptional()
  @IsString({ message: 'opened_before: expected one text' })
  declare opened_before?: string;

  @ApiPropertyOptional({
    description: 'A part of the name of the finding, or of the id or name of its rule.',
  })
  @IsOptional()
  @IsString({ message: 'q: expected one text' })
  declare q?: string;

  @ApiChoice(FINDING_ORDERS, { default: 'severity' })
  @IsOptional()
  @IsIn(FINDING_ORDERS, { message: `sort: expected one of ${FINDING_ORDERS.join(', ')}` })
  declare sort?: FindingOrder['by'];

  @ApiChoice(['asc', 'desc'], { default: 'asc' })
  @IsOptional()
  @IsIn(['asc', 'desc'], { message: 'order: expected asc or desc' })
  declare order?: 'asc' | 'desc';

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, default: 100 })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,2}|1000)$/, { message: 'limit: expected a whole number from 1 to 1000' })
  declare limit?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0, description: 'Findings before the page.' })
  @IsOptional()
  @Matches(/^\d{1,8}$/, { message: 'offset: expected a whole number from 0' })
  declare offset?: string;

  @ApiChoice(FORMATS, {
    default: 'json',
    description: '`csv` has all findings of the filter, `sarif` the 5,000 most severe; neither has pages.',
  })
  @IsOptional()
  @IsIn(FORMATS, { message: `format: expected one of ${FORMATS.join(', ')}` })
  declare format?: (typeof FORMATS)[number];
}

/** Throws INVALID_REQUEST, also for times within a scope, where it is not known when a finding was opened. */
export function findingFilter(
  query: FindingListQueryDto,
  nowMs: number,
  scope: Scope | undefined,
): FindingFilter {
  const { assignee } = query;
  for (const field of scope === undefined ? [] : (['opened_since', 'opened_before'] as const))
    if (query[field] !== undefined) throw fault(field, 'expected none: within a scope no such time is known');
  return {
    severities: listOf<Severity>('severity', query.severity, SEVERITIES),
    states: listOf<FindingState>('state', query.state, STATES as readonly FindingState[]),
    ruleId: query.rule,
    class: query.class,
    assignee: assignee === '' ? null : assignee,
    openedSinceMs: momentOf('opened_since', query.opened_since, nowMs),
    openedBeforeMs: momentOf('opened_before', query.opened_before, nowMs),
    text: query.q,
  };
}

export function findingOrder({ sort = 'severity', order = 'asc' }: FindingListQueryDto): FindingOrder {
  return { by: sort, isDescending: order === 'desc' };
}

function listOf<Word extends string>(
  field: string,
  text: string | undefined,
  words: readonly Word[],
): readonly Word[] | undefined {
  if (text === undefined) return undefined;
  return text.split(',').map((each) => {
    const word = words.find((known) => known === each.trim());
    if (word === undefined) throw fault(field, `expected one or more of ${words.join(', ')}`);
    return word;
  });
}

function momentOf(field: string, text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = AGE.exec(text) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (AGE_MS[unit] ?? 0);
  const ms = momentMs(text);
  if (ms === undefined) throw fault(field, TIME_FAULT);
  return ms;
}

function fault(field: string, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${field}: ${message}`, { details: { field } });
}
