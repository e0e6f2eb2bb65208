import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { ApiChoice } from '#platform/http';
import type { ReportForm } from './report-form.ts';
import { VerdictDto } from './run.dto.ts';

const FORMS = ['json', 'html', 'junit'] as const;

export class ReportQueryDto {
  @IsOptional()
  @IsIn(FORMS, { message: 'format: expected json, html or junit' })
  @ApiChoice(FORMS, { description: 'Format of the report. Default: by the Accept header, else JSON.' })
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
  @ApiChoice(['json', 'html'], {
    description: 'Format of the report. Default: by the Accept header, else JSON.',
  })
  declare format?: 'json' | 'html';
}

class ReportErrorDto {
  @ApiProperty({ example: 'nonce_too_low' }) declare class: string;
  @ApiProperty({ description: 'Whether the mix of the scenario expects this failure.' })
  declare expected: boolean;
  @ApiProperty() declare count: number;
  @ApiProperty() declare message: string;
  @ApiProperty({ type: String, nullable: true }) declare sample_hash: string | null;
}

class ReportSecondDto {
  @ApiProperty({ format: 'date-time' }) declare at: string;
  @ApiProperty({ description: 'Its length.' }) declare seconds: number;
  @ApiProperty() declare planned: number;
  @ApiProperty() declare sent: number;
  @ApiProperty() declare included: number;
  @ApiProperty() declare rejected: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'To the feed; without a feed to the block. In ms.',
  })
  declare intended_feed_p99: number | null;
}

class ReportSetupDto {
  @ApiProperty({ example: 'setup.0 pool.deposit(uint256)' }) declare what: string;
  @ApiProperty({ example: '0x5fbdb2315678afecb367f032d93f642f64180aa3' }) declare address: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null for what needed no transaction.' })
  declare hash: string | null;
  @ApiProperty({ type: Number, nullable: true }) declare block_number: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare gas_used: number | null;
  @ApiProperty({ type: 'array', items: {}, nullable: true, description: 'What a step with a name returned.' })
  declare result: unknown[] | null;
}

class ReadErrorDto {
  @ApiProperty({ example: 'rate_limited' }) declare class: string;
  @ApiProperty() declare count: number;
}

class ReportReadDto {
  @ApiProperty({ example: 'balances' }) declare name: string;
  @ApiProperty({ example: 'eth_getBalance' }) declare method: string;
  @ApiProperty({ description: 'answered + failed + not_sent' }) declare planned: number;
  @ApiProperty() declare answered: number;
  @ApiProperty() declare failed: number;
  @ApiProperty() declare not_sent: number;
  @ApiProperty({ description: 'Answers per second.' }) declare rate: number;
  @ApiProperty({ type: Number, nullable: true }) declare p50_ms: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare p95_ms: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare p99_ms: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare max_ms: number | null;
  @ApiProperty({ type: [ReadErrorDto] }) declare errors: ReadErrorDto[];
}

class WaySpanDto {
  @ApiProperty() declare p50: number;
  @ApiProperty() declare p95: number;
  @ApiProperty() declare p99: number;
}

class ReportWayDto {
  @ApiProperty({ example: 'express_lane' }) declare way: string;
  @ApiProperty({ description: 'Type of the transactions: 0, 1, 2 or 4.' }) declare type: number;
  @ApiProperty() declare sent: number;
  @ApiProperty() declare included: number;
  @ApiProperty() declare rejected: number;
  @ApiProperty() declare unknown: number;
  @ApiProperty({ description: 'By the metadata of the feed.' }) declare timeboosted: number;
  @ApiProperty({ description: 'By the metadata of the feed.' }) declare not_timeboosted: number;
  @ApiProperty({ type: Number, nullable: true, description: 'Place in its block, 0 first, 1 last.' })
  declare place_p50: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare place_mean: number | null;
  @ApiProperty({ type: WaySpanDto, nullable: true, description: 'In ms.' })
  declare send_ack: WaySpanDto | null;
  @ApiProperty({ type: WaySpanDto, nullable: true, description: 'In ms.' })
  declare send_feed: WaySpanDto | null;
  @ApiProperty({ type: WaySpanDto, nullable: true, description: 'In ms.' })
  declare intended_feed: WaySpanDto | null;
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
    description:
      'For each check: verdict, coverage, limits (faults that it cannot detect), violations with evidence.',
  })
  declare oracle: object;
  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'What a pass of the checks does not prove: `code`, `check` and `message`.',
  })
  declare limits: object[];
  @ApiProperty({ type: 'array', items: { type: 'object' } }) declare thresholds: object[];
  @ApiProperty({ type: 'object', additionalProperties: { type: 'object' } }) declare latency: object;
  @ApiProperty({ type: [ReportSecondDto], description: 'One entry for each second of the load.' })
  declare throughput: ReportSecondDto[];
  @ApiProperty({ type: [ReportReadDto], description: 'The measured reads beside the load.' })
  declare reads: ReportReadDto[];
  @ApiProperty({ type: [ReportWayDto], description: 'The measured transactions by way and type.' })
  declare ways: ReportWayDto[];
  @ApiProperty({ type: 'array', items: { type: 'object' } }) declare edges: object[];
  @ApiProperty({ type: [ReportErrorDto] }) declare errors: ReportErrorDto[];
  @ApiProperty({
    type: [ReportSetupDto],
    description: 'The contracts of the run, and the calls before its load.',
  })
  declare setup: ReportSetupDto[];
}

/** The value at a path of a scenario. */
const Scalar = (): PropertyDecorator =>
  ApiProperty({ nullable: true, oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] });

class RunIdentityDto {
  @ApiProperty() declare run_id: string;
  @ApiProperty() declare name: string;
  @ApiProperty({ enum: ['Completed', 'Failed'] }) declare status: string;
  @ApiProperty({ type: String, nullable: true }) declare started_at: string | null;
  @ApiProperty() declare duration_ms: number;
  @ApiProperty({ type: VerdictDto }) declare verdict: VerdictDto;
  @ApiProperty() declare headline: string;
}

class FigureChangeDto {
  @ApiProperty({ example: 'intended_feed_p99' }) declare name: string;
  @ApiProperty({ enum: ['ms', 'tx/s', 'ratio'] }) declare unit: 'ms' | 'tx/s' | 'ratio';
  @ApiProperty({ type: Number, nullable: true }) declare base: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare head: number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'head ÷ base − 1.' }) declare change:
    number | null;
  @ApiProperty({
    enum: ['better', 'worse', 'same', 'unknown'],
    description: 'Changes within the noise are `same`.',
  })
  declare direction: 'better' | 'worse' | 'same' | 'unknown';
}

class CheckChangeDto {
  @ApiProperty({ example: 'nonce' }) declare check: string;
  @ApiProperty({ type: String, nullable: true }) declare base: string | null;
  @ApiProperty({ type: String, nullable: true }) declare head: string | null;
}

class ScenarioDifferenceDto {
  @ApiProperty({ example: 'load.stages.0.rate' }) declare path: string;
  @Scalar() declare base: string | number | boolean | null;
  @Scalar() declare head: string | number | boolean | null;
}

export class ComparisonDto {
  @ApiProperty({ type: RunIdentityDto }) declare base: RunIdentityDto;
  @ApiProperty({ type: RunIdentityDto }) declare head: RunIdentityDto;
  @ApiProperty({ type: [FigureChangeDto] }) declare figures: FigureChangeDto[];
  @ApiProperty({ type: [CheckChangeDto] }) declare verdicts: CheckChangeDto[];
  @ApiProperty({ type: [ScenarioDifferenceDto] }) declare differences: ScenarioDifferenceDto[];
}
