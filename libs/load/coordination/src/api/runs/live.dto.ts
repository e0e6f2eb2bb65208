import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';

class LoadRatesDto {
  @ApiProperty({ description: 'Transactions per second that the load requires.' })
  declare planned_rate: number;
  @ApiProperty() declare sent_rate: number;
  @ApiProperty() declare included_rate: number;
  @ApiProperty() declare rejected_rate: number;
  @ApiProperty() declare not_sent_rate: number;
}

class LoadPointDto extends LoadRatesDto {
  @ApiProperty({ description: 'Seconds since the intended time of the first transaction.' })
  declare elapsed_s: number;
  @ApiProperty({ type: Number, nullable: true }) declare p50_ms: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare p99_ms: number | null;
}

class EdgeLoadDto extends LoadRatesDto {
  @ApiProperty({ example: 'edge-1' }) declare edge_id: string;
  @ApiProperty() declare in_flight: number;
}

class RecentLatencyDto {
  @ApiProperty() declare count: number;
  @ApiProperty() declare p50_ms: number;
  @ApiProperty() declare p90_ms: number;
  @ApiProperty() declare p99_ms: number;
}

class RecentFailureDto {
  @ApiProperty({ example: 'nonce_too_low' }) declare class: string;
  @ApiProperty() declare count: number;
}

/** The load of the last minute, while it is polled; rates cover a few seconds. */
@ApiExtraModels(RecentLatencyDto)
export class RecentLoadDto {
  @ApiProperty({ example: 'r-20261121-142000-k3v9ax' }) declare run_id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'feed_latency',
    description: 'Name of the latency that the points show.',
  })
  declare latency: string | null;
  @ApiProperty({ type: [LoadPointDto] }) declare points: LoadPointDto[];
  @ApiProperty({ type: [EdgeLoadDto] }) declare edges: EdgeLoadDto[];
  @ApiProperty({ type: 'object', additionalProperties: { $ref: getSchemaPath(RecentLatencyDto) } })
  declare latencies: Record<string, RecentLatencyDto>;
  @ApiProperty({ type: [RecentFailureDto], description: 'Failures by class, the most frequent first.' })
  declare failures: RecentFailureDto[];
}

class ScenarioFaultDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'Counted from 1; null if unknown.' })
  declare line: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) declare column: number | null;
  @ApiProperty({ example: 'load.stages.0.rate' }) declare path: string;
  @ApiProperty({ example: 'expected a number above 0' }) declare message: string;
}

/** The summary of a scenario, or all its faults. */
export class ScenarioCheckDto {
  @ApiProperty({ type: [ScenarioFaultDto] }) declare faults: ScenarioFaultDto[];
  @ApiProperty({
    type: [ScenarioFaultDto],
    description: 'Probable mistakes in a valid scenario: entries of the mix that may never be drawn.',
  })
  declare warnings: ScenarioFaultDto[];
  @ApiProperty({ type: String, nullable: true, example: 'smoke' }) declare name: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Planned duration of its load.' })
  declare planned_s: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) declare edges_min: number | null;
}
