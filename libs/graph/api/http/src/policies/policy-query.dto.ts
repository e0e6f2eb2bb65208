import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { SEVERITIES, type Severity } from '#graph/policy';
import { ApiChoice } from '#platform/http';

export class RuleFilterDto {
  @ApiChoice(SEVERITIES)
  @IsOptional()
  @IsIn(SEVERITIES, { message: `severity: expected one of ${SEVERITIES.join(', ')}` })
  declare severity?: Severity;

  @ApiPropertyOptional({ description: 'Returns only rules that are mapped to this framework.' })
  @IsOptional()
  @IsString({ message: 'framework: expected one text' })
  declare framework?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString({ message: 'tag: expected one text' })
  declare tag?: string;

  @ApiChoice(['file', 'api'])
  @IsOptional()
  @IsIn(['file', 'api'], { message: 'origin: expected file or api' })
  declare origin?: 'file' | 'api';

  @ApiChoice(['true', 'false'])
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'enabled: expected true or false' })
  declare enabled?: 'true' | 'false';
}

export class RuleModeDto {
  @ApiChoice(['replace', 'merge'], {
    default: 'replace',
    description: '`merge` only adds and changes; `replace` also removes all others.',
  })
  @IsOptional()
  @IsIn(['replace', 'merge'], { message: 'mode: expected replace or merge' })
  declare mode?: 'replace' | 'merge';
}

export class PostureQueryDto {
  @ApiPropertyOptional({ description: 'Default: all rules.', example: 'CIS-Controls-v8' })
  @IsOptional()
  @IsString({ message: 'framework: expected one text' })
  declare framework?: string;
}

export class HistoryQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 100 })
  @IsOptional()
  @Matches(/^(?:[1-9]\d?|100)$/, { message: 'limit: expected a whole number from 1 to 100' })
  declare limit?: string;
}

export class ScoreQueryDto extends PostureQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, default: 1000 })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,2}|1000)$/, { message: 'limit: expected a whole number from 1 to 1000' })
  declare limit?: string;
}

export class FindingsQueryDto {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 10000, default: 100 })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,3}|10000)$/, { message: 'limit: expected a whole number from 1 to 10000' })
  declare limit?: string;
}
