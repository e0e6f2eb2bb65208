import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { ApiChoice } from '#platform/http';
import type { ReportForm } from './report-form.ts';
import { VerdictDto } from './run.dto.ts';

const FORMS = ['json', 'html', 'junit'] as const;

export class ReportQueryDto {
  @IsOptional()
  @IsIn(FORMS, { message: 'format: expected json, html or junit' })
  @ApiChoice(FORMS, { description: 'Else by Accept, and then JSON.' })
  declare format?: ReportForm;
}

export class CompareQueryDto {
  @IsString({ message: 'base: expected the id of a run' })
  @ApiProperty({ example: 'r-20261121-142000-k3v9ax' })
  declare base: string;

  @IsString({ message: 'head: expected the id of a run' })
  @ApiProperty({ example: 'r-20261121-151200-9fq2mz' })
  declare head: string;

  @IsOptional()
  @IsIn(['json', 'html'], { message: 'format: expected json or html' })
  @ApiChoice(['json', 'html'], { description: 'Else by Accept, and then JSON.' })
  declare format?: 'json' | 'html';
}

export class ReportDto {
  @ApiProperty({ example: 'r-20261121-142000-k3v9ax' }) declare run_id: string;
  @ApiProperty({ enum: ['Completed', 'Failed'] }) declare status: string;
  @ApiProperty({ type: VerdictDto }) declare verdict: VerdictDto;
  @ApiProperty({ description: 'The verdict in words.' }) declare headline: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Counts, exact; `measured`: of the stages that are not excluded; rates and ratios of these.',
  })
  declare summary: object;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object' },
    description: 'By check: verdict, coverage, what it cannot see (limits), violations with evidence.',
  })
  declare oracle: object;
  @ApiProperty({ type: 'array', items: { type: 'object' } }) declare thresholds: object[];
  @ApiProperty({ type: 'object', additionalProperties: { type: 'object' } }) declare latency: object;
  @ApiProperty({ type: 'array', items: { type: 'object' } }) declare edges: object[];
}

export class ComparisonDto {
  @ApiProperty({ type: 'object', additionalProperties: true }) declare base: object;
  @ApiProperty({ type: 'object', additionalProperties: true }) declare head: object;
  @ApiProperty({ type: 'array', items: { type: 'object' } }) declare figures: object[];
}
