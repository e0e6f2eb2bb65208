import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  type ApiPropertyOptions,
  getSchemaPath,
} from '@nestjs/swagger';
import { IsIn, IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

class VerdictReasonDto {
  @ApiProperty({ example: 'threshold_missed' }) declare code: string;
  @ApiProperty({ example: 'achieved_rate_ratio: 0.56, expected at least 0.98' }) declare message: string;
  @ApiProperty() declare count: number;
}

export class VerdictDto {
  @ApiProperty({ enum: ['held', 'reservations', 'failed', 'unknown'] }) declare state: string;
  @ApiProperty({
    type: [VerdictReasonDto],
    description: 'Reasons, the most severe first; empty if the run passed.',
  })
  declare reasons: VerdictReasonDto[];
}

export class RunSummaryDto {
  @ApiProperty({ example: 'r-20261121-142000-k3v9ax' }) declare run_id: string;
  @ApiProperty({ example: 'smoke' }) declare name: string;
  @ApiProperty({ enum: ['Starting', 'Running', 'Completed', 'Failed'] }) declare status: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'waiting_for_edges, awaiting_acks, funding, presigning, warmup, steady, draining, settling, verifying, ' +
      'reporting; null after the end.',
  })
  declare phase: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it failed (aborted, hive_restarted, no_disk_space, …), or why its load ended early.',
  })
  declare reason: string | null;
  @ApiProperty({ format: 'date-time' }) declare created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) declare started_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) declare ended_at: string | null;
  @ApiProperty({ description: 'Whether an edge was lost or is silent.' }) declare is_degraded: boolean;
  @ApiProperty({ type: VerdictDto, nullable: true, description: 'Null before the end.' })
  declare verdict: VerdictDto | null;
  @ApiProperty({ type: String, nullable: true, description: 'The verdict in words.' })
  declare headline: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Sent transactions a second, of the measured stages.',
  })
  declare rate: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Latency to the feed; without a feed to the block, or the answer.',
  })
  declare p50_ms: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare p99_ms: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'From the first transaction to the end, or to now.',
  })
  declare duration_s: number | null;
}

export class RunListDto {
  @ApiProperty({ type: [RunSummaryDto], description: 'The runs, the latest first.' })
  declare runs: RunSummaryDto[];
  @ApiPropertyOptional({ description: 'Cursor of the next page; missing on the last page.' })
  declare next_cursor?: string;
}

/** Default size of a page of runs. */
export const RUNS_LIMIT_DEFAULT = 100;

export class RunListQueryDto {
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,2}|1000)$/, { message: 'limit: expected a whole number from 1 to 1000' })
  @ApiPropertyOptional({ type: Number, minimum: 1, maximum: 1_000, default: RUNS_LIMIT_DEFAULT })
  declare limit?: string;

  @IsOptional()
  @IsString({ message: 'cursor: expected next_cursor of a page' })
  @ApiPropertyOptional({ description: '`next_cursor` of the previous page.' })
  declare cursor?: string;
}

class RefusalDto {
  @ApiProperty() declare edge_id: string;
  @ApiProperty({ example: 'chain_id_mismatch' }) declare code: string;
  @ApiProperty() declare reason: string;
}

class RunEdgeDto {
  @ApiProperty() declare edge_id: string;
  @ApiProperty({
    description: 'waiting, acked or refused; then its phase; finally done, failed, lost, crashed or evicted.',
  })
  declare state: string;
  @ApiProperty({ type: String, nullable: true }) declare reason: string | null;
  @ApiProperty({ description: 'Whether the edge has had no contact for 10 s and is not yet lost.' })
  declare is_silent: boolean;
  @ApiProperty() declare sent: number;
}

class RateChangeDto {
  @ApiProperty({ format: 'date-time' }) declare at: string;
  @ApiProperty({ description: 'Transactions a second of all edges, from then on.' }) declare rate: number;
  @ApiProperty({ type: [String], description: 'The edges that have applied it.' }) declare edges: string[];
}

class NotSentDto {
  @ApiProperty({ example: 'late' }) declare reason: string;
  @ApiProperty() declare count: number;
}

class LatencySummaryDto {
  @ApiProperty() declare count: number;
  @ApiProperty() declare p50: number;
  @ApiProperty() declare p90: number;
  @ApiProperty() declare p95: number;
  @ApiProperty() declare p99: number;
  @ApiProperty() declare p999: number;
  @ApiProperty() declare max: number;
}

class ThresholdDto {
  @ApiProperty({ example: 'feed_latency_p99_ms' }) declare metric: string;
  @ApiProperty({ type: Number, nullable: true }) declare min: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare max: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare value: number | null;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Null if nothing was measured.' })
  declare is_met: boolean | null;
}

class CheckVerdictDto {
  @ApiProperty({ enum: ['pass', 'fail', 'inconclusive'] }) declare verdict: string;
  @ApiProperty() declare violation_count: number;
}

class FindingDto {
  @ApiProperty({ example: 'edge_lost' }) declare code: string;
  @ApiProperty({ type: String, nullable: true }) declare edge_id: string | null;
  @ApiProperty() declare message: string;
}

const COUNTS = { type: 'object', additionalProperties: { type: 'number' } } as const;
const byName = (dto: new () => object): ApiPropertyOptions & { type: 'object' } => ({
  type: 'object',
  additionalProperties: { $ref: getSchemaPath(dto) },
});

class WebhookDto {
  @ApiProperty({ enum: ['pending', 'delivered', 'failed'], description: 'failed: refused, or given up.' })
  declare state: string;
  @ApiProperty({ example: 1 }) declare attempts: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why the last attempt failed.' })
  declare reason: string | null;
}

@ApiExtraModels(LatencySummaryDto, CheckVerdictDto)
export class RunDto extends RunSummaryDto {
  @ApiProperty({ type: [String], description: 'The edges that have not acknowledged.' })
  declare waiting_for: string[];
  @ApiProperty({ type: [RefusalDto] }) declare refusals: RefusalDto[];
  @ApiProperty({ description: 'The run waits until this number of edges is registered.' })
  declare edges_min: number;
  @ApiProperty({ type: [RunEdgeDto] }) declare edges: RunEdgeDto[];
  @ApiProperty({ type: Number, nullable: true }) declare elapsed_s: number | null;
  @ApiProperty() declare planned_s: number;
  @ApiProperty({ type: String, nullable: true }) declare stage: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Planned transactions a second now; null outside of the load, and in the closed model.',
  })
  declare target_rate: number | null;
  @ApiProperty({ type: [RateChangeDto], description: 'Changes of the rate while the load went on.' })
  declare rate_changes: RateChangeDto[];
  @ApiProperty({
    ...COUNTS,
    nullable: true,
    description: 'The number of funded accounts, and of all accounts.',
  })
  declare funded: Record<string, number> | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', nullable: true },
    nullable: true,
    description: 'most_wei: maximum cost to the funder; budget_wei: its limit. Only while the run is active.',
    example: { most_wei: '100000000000000000000', budget_wei: null },
  })
  declare money: object | null;
  @ApiProperty({
    ...COUNTS,
    description: 'planned = sent + not_sent; sent = included + rejected + unknown + in_flight.',
  })
  declare progress: Record<string, number>;
  @ApiProperty({ ...COUNTS, description: 'Counts of the stages that are not excluded.' })
  declare measured: Record<string, number>;
  @ApiProperty({ type: [NotSentDto], description: 'Why planned transactions were not sent.' })
  declare not_sent: NotSentDto[];
  @ApiProperty({
    ...byName(LatencySummaryDto),
    description: 'Milliseconds, merged over edges, while the run is active.',
  })
  declare latencies: Record<string, LatencySummaryDto>;
  @ApiProperty({ ...COUNTS, description: 'Number of violations so far, by check.' })
  declare violations: Record<string, number>;
  @ApiProperty({ type: [ThresholdDto], description: 'Thresholds, with their values after the end.' })
  declare thresholds: ThresholdDto[];
  @ApiProperty({ ...byName(CheckVerdictDto), description: 'Verdicts, after the end.' })
  declare oracle: Record<string, CheckVerdictDto>;
  @ApiProperty({ type: [FindingDto] }) declare findings: FindingDto[];
  @ApiProperty({
    type: WebhookDto,
    nullable: true,
    description: 'The message about the end of the run; null without a webhook, and before the end.',
  })
  declare webhook: WebhookDto | null;
}

export class ScenarioDto {
  @ApiProperty({ example: 'smoke' }) declare name: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) declare target: object;
  @ApiProperty({ type: 'object', additionalProperties: true }) declare accounts: object;
  @ApiProperty({ type: 'object', additionalProperties: true }) declare load: object;
}

const RATE_MAX = 1_000_000;
const RATE_EXPECTED = `rate: expected a number from 0 to ${RATE_MAX}`;

export class RateDto {
  @IsNumber({ allowInfinity: false, allowNaN: false }, { message: RATE_EXPECTED })
  @Min(0, { message: RATE_EXPECTED })
  @Max(RATE_MAX, { message: RATE_EXPECTED })
  @ApiProperty({
    minimum: 0,
    maximum: RATE_MAX,
    description: 'Transactions a second of all edges together; 0 is a pause.',
  })
  declare rate: number;
}

export class StopDto {
  @IsIn(['drain', 'abort'], { message: 'mode: expected drain or abort' })
  @ApiProperty({
    enum: ['drain', 'abort'],
    description: 'drain: settle and verify what was sent, Completed. abort: Failed.',
  })
  declare mode: 'drain' | 'abort';
}
