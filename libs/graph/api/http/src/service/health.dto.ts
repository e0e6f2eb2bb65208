import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

class TornTailDto {
  @ApiProperty({ example: 'wal-0000000001' }) declare file: string;
  @ApiProperty({ description: 'Offset at which the log ends now.' }) declare offset: number;
  @ApiProperty() declare cut_bytes: number;
  @ApiProperty({ description: 'Sequence number of the last remaining batch.' }) declare last_seq: number;
}

const TORN_TAIL = {
  type: TornTailDto,
  description:
    'What the start cut off the end of the log: a batch that a crash left incomplete, and nobody got a reply for. ' +
    'Absent if there was none.',
};

export class HealthDto {
  @ApiProperty({
    enum: ['healthy', 'degraded', 'unhealthy'],
    description:
      'Degraded: a file of the store is damaged, or the shared store takes no writes at the moment; reads go on.',
  })
  declare status: string;

  @ApiPropertyOptional({ description: 'Version, if the service accepts writes.', example: '0.1.0' })
  declare version?: string;

  @ApiPropertyOptional({ description: 'Time since the start, if the service accepts writes.' })
  declare uptime_seconds?: number;

  @ApiPropertyOptional({ description: 'Why writes are refused, or what is damaged.' })
  declare reason?: string;

  @ApiPropertyOptional(TORN_TAIL)
  declare torn_tail?: TornTailDto;

  @ApiPropertyOptional({
    description: 'Number of connector files whose content is not in use, if there are any.',
  })
  declare faulty_connector_files?: number;

  @ApiPropertyOptional({
    enum: ['ok'],
    description: 'Present while reads continue, also if writes are refused.',
  })
  declare reads?: string;

  @ApiPropertyOptional({ description: 'Name of a node over a shared store.', example: 'web-1-9f3a01bc' })
  declare node?: string;

  @ApiPropertyOptional({
    enum: ['leader', 'follower'],
    description: 'Role of such a node: the leader runs schedules and sends notifications; all answer alike.',
  })
  declare role?: string;

  @ApiPropertyOptional({ description: 'Last batch that such a node shows.' })
  declare seq?: number;

  @ApiPropertyOptional({
    description: 'Last published batch, as far as such a node knows.',
  })
  declare published?: number;

  @ApiPropertyOptional({ description: 'Time for which such a node has not shown a published batch.' })
  declare lag_ms?: number;
}

class StorageStatsDto {
  @ApiProperty() declare wal_bytes: number;
  @ApiProperty() declare wal_segments: number;
  @ApiProperty() declare segments: number;
  @ApiProperty() declare segment_bytes: number;
  @ApiProperty() declare compactions: number;
  @ApiProperty() declare memtable_bytes: number;
  @ApiProperty({ description: 'Number of frames appended to the log since the start.' })
  declare appends: number;
  @ApiProperty({ description: 'Number of syncs of the log since the start.' }) declare syncs: number;
  @ApiProperty({ description: 'Number of blocks of segments that cannot be read.' })
  declare damaged_blocks: number;
  @ApiProperty({ description: 'Number of bytes read since the start to find such blocks.' })
  declare scrubbed_bytes: number;
  @ApiPropertyOptional(TORN_TAIL) declare torn_tail?: TornTailDto;
}

const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

class HistoryDto {
  @ApiProperty({ type: 'integer', description: 'The batch after which the earliest state was.' })
  declare first: number;
  @ApiProperty({ format: 'date-time', description: 'The earliest time that can be asked for.' })
  declare since: string;
}

export class StatsDto {
  @ApiProperty() declare version: string;
  @ApiProperty() declare uptime_seconds: number;
  @ApiProperty() declare total_entities: number;
  @ApiProperty() declare total_relationships: number;
  @ApiProperty({ description: 'Number of distinct types.' }) declare types: number;
  @ApiProperty({ description: 'Number of distinct classes.' }) declare classes: number;
  @ApiProperty(COUNTS) declare type_counts: object;
  @ApiProperty(COUNTS) declare class_counts: object;
  @ApiPropertyOptional({ ...COUNTS, description: 'Number of entities with each label, if there are labels.' })
  declare label_counts?: object;
  @ApiProperty(COUNTS) declare verb_counts: object;
  @ApiPropertyOptional({ type: StorageStatsDto, description: 'Missing for a key with a scope.' })
  declare storage?: StorageStatsDto;
  @ApiPropertyOptional({ type: HistoryDto, description: 'The history of the graph, if it is kept.' })
  declare history?: HistoryDto;
  @ApiProperty() declare snapshot_version: number;
}
