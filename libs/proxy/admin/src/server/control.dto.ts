import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import type { Question } from '#proxy/engine';

const TEXT_LENGTH_MAX = 8_192;

const REQUIRED = { message: '$property is required' };

export class ExplainDto implements Question {
  @IsDefined(REQUIRED)
  @IsString()
  @MinLength(1)
  @MaxLength(TEXT_LENGTH_MAX)
  @ApiProperty({ example: 'api.example.com', description: 'The host in the form of a Host header.' })
  declare host: string;

  @IsDefined(REQUIRED)
  @IsString()
  @MinLength(1)
  @MaxLength(TEXT_LENGTH_MAX)
  @ApiProperty({ example: '/v1/health' })
  declare path: string;

  @IsOptional()
  @IsString()
  @ApiPropertyOptional({ description: 'Default: the first HTTP listener.' })
  declare listener?: string;
}

class RouteVerdictDto {
  @ApiProperty({ type: 'integer', description: 'Position in the file, from 0.' }) declare index: number;
  @ApiProperty({ type: 'integer' }) declare line: number;
  @ApiProperty({ example: '*' }) declare host: string;
  @ApiProperty({ example: '/' }) declare prefix: string;
  @ApiProperty() declare takes: boolean;
  @ApiProperty() declare reason: string;
}

class TargetVerdictDto {
  @ApiProperty({ description: 'The endpoint as written in the file.' }) declare endpoint: string;
  @ApiProperty({ example: '10.0.0.1:80' }) declare address: string;
  @ApiProperty() declare is_available: boolean;
  @ApiProperty() declare reason: string;
}

class ClusterVerdictDto {
  @ApiProperty() declare name: string;
  @ApiProperty({ example: 'round_robin' }) declare lb_policy: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null if none is available, or the choice is random.',
  })
  declare endpoint: string | null;
  @ApiProperty() declare reason: string;
  @ApiProperty({ type: [TargetVerdictDto] }) declare targets: TargetVerdictDto[];
}

export class ExplanationDto {
  @ApiProperty() declare listener: string;
  @ApiProperty() declare host: string;
  @ApiProperty() declare path: string;
  @ApiProperty({ type: [RouteVerdictDto], description: 'All matching routes, by precedence.' })
  declare routes: RouteVerdictDto[];
  @ApiProperty({
    type: RouteVerdictDto,
    nullable: true,
    description: 'The matching route; null: none matches, and the answer is 404.',
  })
  declare route: RouteVerdictDto | null;
  @ApiProperty({ type: String, nullable: true, example: 'https' }) declare redirect: string | null;
  @ApiProperty({ type: ClusterVerdictDto, nullable: true }) declare cluster: ClusterVerdictDto | null;
}

/** The result of a reload. */
export class ReloadResultDto {
  @ApiProperty({ enum: ['applied', 'unchanged', 'rejected'] }) declare result:
    'applied' | 'unchanged' | 'rejected';
  @ApiProperty({ type: [String], example: ['proxy.yaml:3:1: unknown key'] }) declare faults: string[];
}

export class DrainDto {
  @ApiProperty({ enum: ['DRAINING'] }) declare state: string;
}

/** The state of an endpoint after the request. */
export class EndpointSwitchDto {
  @ApiProperty() declare cluster: string;
  @ApiProperty() declare address: string;
  @ApiProperty() declare enabled: boolean;
}

const CHANGES = ['none', 'with_token', 'open'] as const;

/** Identifies the proxy, and reports whether this server accepts changes. */
export class AboutDto {
  @ApiProperty({ example: 'edge-1', description: '`admin.name`, else the host name of the machine.' })
  declare name: string;
  @ApiProperty({ example: '0.1.0' }) declare version: string;
  @ApiProperty({ enum: ['embedded', 'haproxy'] }) declare engine: 'embedded' | 'haproxy';
  @ApiProperty({
    enum: CHANGES,
    description: 'Whether changes are accepted, and whether they require the token.',
  })
  declare changes: (typeof CHANGES)[number];
}
