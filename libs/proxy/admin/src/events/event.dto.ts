import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FAILURE_REASONS, type ProxyEvent } from '#proxy/engine';

const STATES = ['PRE_INITIALIZING', 'INITIALIZING', 'LIVE', 'DRAINING'] as const;
const Type = (type: ProxyEvent['type']): PropertyDecorator => ApiProperty({ enum: [type] });

class EventDto {
  @ApiProperty({ type: 'integer', description: 'Milliseconds since the Unix epoch.' }) declare at: number;
}

class EndpointEventDto extends EventDto {
  @ApiProperty({ example: 'api' }) declare cluster: string;
  @ApiProperty({ example: '10.0.0.1:80', description: 'The address in the configuration.' })
  declare address: string;
}

class TargetEventDto extends EndpointEventDto {
  @ApiProperty({ example: '10.0.0.1:80', description: '`ip:port`.' }) declare target: string;
}

class EndpointHealthEventDto extends TargetEventDto {
  @Type('endpoint_health') declare type: 'endpoint_health';
  @ApiProperty() declare healthy: boolean;
  @ApiProperty() declare reason: string;
}

class EndpointEjectedEventDto extends TargetEventDto {
  @Type('endpoint_ejected') declare type: 'endpoint_ejected';
  @ApiProperty({ type: 'integer' }) declare until_ms: number;
  @ApiProperty() declare reason: string;
}

class EndpointReturnedEventDto extends TargetEventDto {
  @Type('endpoint_returned') declare type: 'endpoint_returned';
}

class EndpointSwitchedEventDto extends EndpointEventDto {
  @Type('endpoint_switched') declare type: 'endpoint_switched';
  @ApiProperty() declare is_enabled: boolean;
}

class EndpointResolvedEventDto extends EndpointEventDto {
  @Type('endpoint_resolved') declare type: 'endpoint_resolved';
  @ApiProperty({ type: [String] }) declare targets: string[];
  @ApiPropertyOptional({ example: 'ENOTFOUND' }) declare fault?: string;
}

class BreakerTrippedEventDto extends EventDto {
  @Type('breaker_tripped') declare type: 'breaker_tripped';
  @ApiProperty() declare cluster: string;
  @ApiProperty({ example: 'max_requests' }) declare limit: string;
  @ApiProperty({ type: 'integer' }) declare max: number;
  @ApiProperty({ type: 'integer', description: 'Number since the previous event.' }) declare rejected: number;
}

class UpstreamFailureEventDto extends EventDto {
  @Type('upstream_failure') declare type: 'upstream_failure';
  @ApiProperty() declare cluster: string;
  @ApiProperty({ enum: FAILURE_REASONS }) declare reason: (typeof FAILURE_REASONS)[number];
  @ApiPropertyOptional() declare target?: string;
  @ApiPropertyOptional({ example: 'ECONNREFUSED' }) declare code?: string;
  @ApiProperty({ type: 'integer', description: 'Number since the previous event.' }) declare failures: number;
}

class WorkerStateEventDto extends EventDto {
  @Type('worker_state') declare type: 'worker_state';
  @ApiProperty({ type: 'integer', description: 'Number of the worker process, from 1.' })
  declare worker: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null if the process has ended.' })
  declare pid: number | null;
  @ApiProperty() declare is_serving: boolean;
  @ApiProperty() declare reason: string;
}

class ConfigReloadEventDto extends EventDto {
  @Type('config_reload') declare type: 'config_reload';
  @ApiProperty({ enum: ['applied', 'rejected', 'unchanged'] }) declare result:
    'applied' | 'rejected' | 'unchanged';
  @ApiProperty({ type: [String] }) declare faults: string[];
}

class ServerStateEventDto extends EventDto {
  @Type('server_state') declare type: 'server_state';
  @ApiProperty({ enum: STATES }) declare state: (typeof STATES)[number];
}

/** The events of GET /admin/v1/events, apart from snapshots. */
export const EVENT_DTOS = [
  EndpointHealthEventDto,
  EndpointEjectedEventDto,
  EndpointReturnedEventDto,
  EndpointSwitchedEventDto,
  EndpointResolvedEventDto,
  BreakerTrippedEventDto,
  UpstreamFailureEventDto,
  WorkerStateEventDto,
  ConfigReloadEventDto,
  ServerStateEventDto,
] as const;
