import { ApiProperty } from '@nestjs/swagger';
import { FAILURE_REASONS } from '#proxy/engine';

/** A whole number. */
const Count = (description = ''): PropertyDecorator => ApiProperty({ type: 'integer', description });
/** A whole number that an engine may not provide. */
const KnownCount = (description = ''): PropertyDecorator =>
  ApiProperty({ type: 'integer', nullable: true, description });
const STATES = ['PRE_INITIALIZING', 'INITIALIZING', 'LIVE', 'DRAINING'] as const;

class StatusClassCountsDto {
  @Count() declare '1xx': number;
  @Count() declare '2xx': number;
  @Count() declare '3xx': number;
  @Count() declare '4xx': number;
  @Count() declare '5xx': number;
}

class CheckDto {
  @Count('Milliseconds since the Unix epoch.') declare at: number;
  @ApiProperty({ enum: ['passed', 'failed'] }) declare result: 'passed' | 'failed';
  @ApiProperty() declare latency_ms: number;
  @ApiProperty({ example: 'status 500' }) declare reason: string;
  @KnownCount('Checks in a row with this result.') declare streak: number | null;
}

const Quantile = (): PropertyDecorator =>
  ApiProperty({ type: Number, nullable: true, description: 'Value over the last one to two minutes.' });

class QuantilesDto {
  @Count() declare count: number;
  @ApiProperty() declare sum_seconds: number;
  @Quantile() declare p50_ms: number | null;
  @Quantile() declare p90_ms: number | null;
  @Quantile() declare p99_ms: number | null;
}

class ListenerDto {
  @ApiProperty({ example: 'web' }) declare name: string;
  @ApiProperty({ example: '127.0.0.1:8080', description: 'The bound address.' }) declare address: string;
  @ApiProperty({ enum: ['http', 'tcp'] }) declare protocol: 'http' | 'tcp';
  @Count('Connections accepted.') declare cx_total: number;
  @Count() declare cx_active: number;
  @Count('Over `max_connections`, or without a descriptor to spare.') declare cx_refused: number;
  @KnownCount() declare cx_refused_for_descriptors: number | null;
  @KnownCount() declare requests_active: number | null;
  @ApiProperty({ type: StatusClassCountsDto, description: 'Number of answers sent.' })
  declare requests_by_class: StatusClassCountsDto;
  @Count('Requests rejected with 400 or 431, and connections that did not speak HTTP.')
  declare parse_errors: number;
  @KnownCount() declare header_timeouts: number | null;
  @KnownCount() declare idle_timeouts: number | null;
  @KnownCount() declare request_timeouts: number | null;
  @KnownCount('Requests that match no route.') declare unrouted: number | null;
  @KnownCount() declare client_aborts: number | null;
  @KnownCount() declare tls_errors: number | null;
  @Count() declare bytes_received: number;
  @Count() declare bytes_sent: number;
}

class TargetDto {
  @ApiProperty({ example: '10.0.0.1:80' }) declare address: string;
  @ApiProperty() declare healthy: boolean;
  @Count() declare active_requests: number;
  @ApiProperty({ type: Boolean, nullable: true }) declare is_ejected: boolean | null;
  @KnownCount() declare ejected_until_ms: number | null;
  @KnownCount() declare consecutive5xx: number | null;
  @KnownCount() declare consecutive_connect_failures: number | null;
  @ApiProperty({ type: CheckDto, nullable: true }) declare last_check: CheckDto | null;
}

class EndpointDto {
  @ApiProperty({ example: '10.0.0.1:80', description: 'The address in the configuration.' })
  declare address: string;
  @Count() declare weight: number;
  @ApiProperty({
    description: 'Accepts requests. Before the first check it does: `last_check` shows whether one has run.',
  })
  declare healthy: boolean;
  @Count() declare active_requests: number;
  @ApiProperty() declare is_disabled: boolean;
  @ApiProperty({ type: Boolean, nullable: true }) declare is_ejected: boolean | null;
  @KnownCount('Milliseconds since the Unix epoch.') declare ejected_until_ms: number | null;
  @KnownCount() declare ejections: number | null;
  @ApiProperty({ type: CheckDto, nullable: true, description: 'Null if it was never checked.' })
  declare last_check: CheckDto | null;
  @Count() declare requests_total: number;
  @ApiProperty({ type: StatusClassCountsDto }) declare requests_by_class: StatusClassCountsDto;
  @Count() declare connect_failures: number;
  @Count() declare resets: number;
  @KnownCount() declare timeouts: number | null;
  @Count() declare client_aborts: number;
  @KnownCount() declare checks_passed: number | null;
  @Count() declare checks_failed: number;
  @KnownCount() declare connections_total: number | null;
  @KnownCount() declare connections_active: number | null;
  @KnownCount() declare connections_idle: number | null;
  @KnownCount() declare connections_reused: number | null;
  @ApiProperty({ type: QuantilesDto, nullable: true }) declare durations: QuantilesDto | null;
  @ApiProperty({ type: [TargetDto], description: 'The resolved addresses.' })
  declare targets: TargetDto[];
  @ApiProperty({ type: String, nullable: true }) declare resolve_fault: string | null;
}

class LimitDto {
  @KnownCount() declare used: number | null;
  @KnownCount() declare limit: number | null;
  @KnownCount('Requests rejected because of this limit.') declare rejected: number | null;
}

class BreakerDto {
  @ApiProperty({ type: LimitDto }) declare max_connections: LimitDto;
  @ApiProperty({ type: LimitDto }) declare max_pending_requests: LimitDto;
  @ApiProperty({ type: LimitDto }) declare max_requests: LimitDto;
}

class RetriesDto {
  @KnownCount() declare active: number | null;
  @KnownCount() declare limit: number | null;
  @Count() declare made: number;
  @KnownCount() declare over_limit: number | null;
  @KnownCount() declare over_budget: number | null;
}

class ClusterDto {
  @ApiProperty({ example: 'api' }) declare name: string;
  @ApiProperty({ example: 'round_robin' }) declare lb_policy: string;
  @ApiProperty({ type: [EndpointDto] }) declare endpoints: EndpointDto[];
  @ApiProperty({ type: BreakerDto }) declare breaker: BreakerDto;
  @ApiProperty({ type: RetriesDto }) declare retries: RetriesDto;
  @KnownCount('Requests for which no endpoint was available.') declare no_healthy_endpoint: number | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    nullable: true,
    description: `By reason: ${FAILURE_REASONS.join(', ')}.`,
  })
  declare upstream_failures: Record<string, number> | null;
  @ApiProperty({ type: QuantilesDto, nullable: true }) declare durations: QuantilesDto | null;
}

class ReloadCountsDto {
  @Count() declare applied: number;
  @Count() declare rejected: number;
  @Count() declare unchanged: number;
}

class CutDto {
  @Count() declare cut_connections: number;
  @Count() declare cut_requests: number;
}

class BreakerRejectionsDto {
  @ApiProperty() declare cluster: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' } })
  declare rejected: Record<string, number>;
}

class WorkerDto {
  @ApiProperty({ type: 'integer', description: 'Counted from 1; a restarted process keeps the number.' })
  declare number: number;
  @KnownCount('Null: the process is not running.') declare pid: number | null;
  @ApiProperty({ description: 'Whether the worker has the configuration and has responded recently.' })
  declare is_serving: boolean;
  @Count() declare exits: number;
  @Count() declare cx_active: number;
  @ApiProperty({ type: 'number' }) declare cpu_seconds: number;
  @Count() declare resident_bytes: number;
}

/**
 * GET /admin/v1/clusters. Counters start with the process; null is a value that the engine cannot provide.
 */
export class ProxyStateDto {
  @ApiProperty({ enum: STATES }) declare state: (typeof STATES)[number];
  @Count() declare uptime_ms: number;
  @Count() declare downstream_cx_total: number;
  @Count() declare downstream_cx_active: number;
  @Count() declare circuit_breaker_rejected: number;
  @ApiProperty({ type: [ListenerDto], description: 'Listeners in the order of the file.' })
  declare listeners: ListenerDto[];
  @ApiProperty({
    type: [ListenerDto],
    description: 'Removed by a reload; listed until their last connection is closed.',
  })
  declare removed_listeners: ListenerDto[];
  @ApiProperty({ type: [ClusterDto], description: 'Clusters in the order of the file.' })
  declare clusters: ClusterDto[];
  @Count() declare route_count: number;
  @ApiProperty({ type: ReloadCountsDto }) declare config_reloads: ReloadCountsDto;
  @ApiProperty({ type: CutDto, description: 'Requests and connections cut at `drain.timeout`.' })
  declare drain: CutDto;
  @ApiProperty({ type: [BreakerRejectionsDto] }) declare breaker_rejections: BreakerRejectionsDto[];
  @ApiProperty({
    type: [WorkerDto],
    nullable: true,
    description: 'Processes that carry the traffic; null: a single process.',
  })
  declare workers: WorkerDto[] | null;
}
