import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsBoolean, IsOptional } from 'class-validator';
import { ConnectorFileDto } from './connector-file.dto.ts';
import { SyncReplyDto } from '../ingest/ingest-reply.dto.ts';

const RUN_STATES = ['collecting', 'syncing', 'complete', 'partial', 'failed', 'aborted', 'interrupted'];
const STEP_STATES = ['waiting', 'running', 'done', 'failed', 'skipped', 'disabled'];

/** How a connector is run. */
export class RunConnectorDto {
  @ApiPropertyOptional({
    default: false,
    description: 'Whether the sync may delete records however many they are.',
  })
  @IsOptional()
  @IsBoolean({ message: 'force: expected true or false' })
  declare force?: boolean;
}

class StepDto {
  @ApiProperty({ example: 'hosts' }) declare id: string;
  @ApiPropertyOptional() declare description?: string;
  @ApiProperty({ description: 'Number of the wave, from 1.' }) declare wave: number;
  @ApiProperty({ enum: STEP_STATES }) declare status: string;
  @ApiProperty() declare attempts: number;
  @ApiProperty() declare entities: number;
  @ApiProperty() declare relationships: number;
  @ApiProperty() declare duration_ms: number;
  @ApiPropertyOptional({ description: 'While it runs: units of its source that it has read.', example: 30 })
  declare done?: number;
  @ApiPropertyOptional({ description: 'How many there are, if the source says it.', example: 90 })
  declare total?: number;
  @ApiPropertyOptional({ description: 'Time left, at the rate so far.', example: 12_000 })
  declare remaining_ms?: number;
  @ApiPropertyOptional({ description: 'Why it failed, or was left out.' }) declare reason?: string;
}

export class RunDto {
  @ApiProperty({ description: 'Id of the run, and of its sync.' }) declare run_id: string;
  @ApiProperty() declare connector_id: string;
  @ApiProperty({ format: 'date-time' }) declare started_at: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'End of the run; for an interrupted run, the time at which that was found.',
  })
  declare ended_at: string | null;
  @ApiProperty({
    enum: RUN_STATES,
    description:
      'partial: steps failed or saw something in part; nothing of those types was deleted; or references could not be ' +
      'resolved; the relationships of their owners were kept. failed: nothing was synced. ' +
      'aborted: stopped, alone or with the service. interrupted: the service ended before it.',
  })
  declare status: string;
  @ApiPropertyOptional({ description: 'Reason why nothing was synced.' }) declare reason?: string;
  @ApiProperty({ type: [StepDto] }) declare steps: StepDto[];
  @ApiProperty({ description: 'Number of entities emitted so far.' }) declare entities: number;
  @ApiProperty() declare relationships: number;
  @ApiProperty({ description: 'Number of relationships derived by mappings.' }) declare mapped: number;
  @ApiProperty({
    type: [String],
    description: 'Types and verbs of which the source may have more than was read.',
  })
  declare partial_types: string[];
  @ApiProperty({ description: 'References that could not be resolved; the run is partial.' })
  declare unresolved_count: number;
  @ApiProperty({ description: 'References to something outside the source, such as another bill.' })
  declare external_count: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Content that the connector does not read, by kind.',
    example: {},
  })
  declare ignored: Record<string, number>;
  @ApiProperty({ type: [String], description: 'The first 100 of them.' }) declare warnings: string[];
  @ApiProperty() declare warning_count: number;
  @ApiPropertyOptional({ type: SyncReplyDto, description: 'Changes of the sync.' })
  declare sync?: SyncReplyDto;
}

export class RunListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [RunDto] }) declare runs: RunDto[];
}

class LastSyncDto extends SyncReplyDto {
  @ApiProperty({ format: 'date-time' }) declare synced_at: string;
}

class ConnectorOriginDto extends PickType(ConnectorFileDto, ['name', 'state', 'fault']) {}

class ConnectorDto {
  @ApiProperty({ example: 'corp-ldap' }) declare id: string;
  @ApiProperty({ example: 'ldap' }) declare connector: string;
  @ApiProperty() declare description: string;
  @ApiProperty({ example: 'manual', description: 'manual, every:6h, or cron:0 2 * * *' })
  declare schedule: string;
  @ApiProperty() declare running: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'config.password_env: the environment variable LDAP_PASSWORD is not set',
    description: 'Why it cannot run; its runs fail with this reason.',
  })
  declare fault: string | null;
  @ApiProperty({
    type: ConnectorOriginDto,
    description: 'Its file; stale: the file has become faulty, and the settings of before are in use.',
  })
  declare file: ConnectorOriginDto;
  @ApiProperty({ type: RunDto, nullable: true, description: 'The latest one, also from before a restart.' })
  declare last_run: RunDto | null;
  @ApiProperty({
    type: LastSyncDto,
    nullable: true,
    description: 'The latest one, also from before a restart.',
  })
  declare last_sync: LastSyncDto | null;
}

export class ConnectorListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [ConnectorDto] }) declare connectors: ConnectorDto[];
}
