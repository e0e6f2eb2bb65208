import { ApiProperty } from '@nestjs/swagger';

class EdgeClockDto {
  @ApiProperty({ description: 'The edge’s clock minus the hive’s.' }) declare offset_ms: number;
  @ApiProperty({ description: 'Maximum error of the offset.' }) declare error_ms: number;
}

class EdgeRpcDto {
  @ApiProperty({ type: Number, nullable: true, example: 412346 }) declare chain_id: number | null;
  @ApiProperty() declare ok: boolean;
}

class EdgeFeedDto {
  @ApiProperty() declare connected: boolean;
  @ApiProperty() declare last_sequence: number;
}

class PartitionDto {
  @ApiProperty({ description: 'Number of its first account.' }) declare first: number;
  @ApiProperty() declare count: number;
}

class EdgeDto {
  @ApiProperty({ example: 'edge-1' }) declare edge_id: string;
  @ApiProperty({ description: 'New for each start of the edge.' }) declare instance_id: string;
  @ApiProperty({ enum: ['connected', 'stale', 'disconnected'] }) declare status: string;
  @ApiProperty({ example: '0.1.0' }) declare version: string;
  @ApiProperty() declare hostname: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) declare labels: object;
  @ApiProperty({ description: 'Threads that sign.' }) declare workers: number;
  @ApiProperty() declare cores: number;
  @ApiProperty({ format: 'date-time' }) declare registered_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) declare last_heartbeat_at:
    string | null;
  @ApiProperty({ type: EdgeClockDto, nullable: true }) declare clock: EdgeClockDto | null;
  @ApiProperty({ type: EdgeRpcDto }) declare rpc: EdgeRpcDto;
  @ApiProperty({ type: EdgeFeedDto }) declare feed: EdgeFeedDto;
  @ApiProperty({ type: String, nullable: true }) declare current_run_id: string | null;
  @ApiProperty({
    type: PartitionDto,
    nullable: true,
    description: 'The accounts of the edge in its active run.',
  })
  declare partition: PartitionDto | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Its counters, summed over their labels.',
    example: { plexus_feed_messages_total: 1204 },
  })
  declare counters: object;
}

export class EdgeListDto {
  @ApiProperty({ type: [EdgeDto] }) declare edges: EdgeDto[];
}

export const EDGE_LIST_EXAMPLE = {
  edges: [
    {
      edge_id: 'edge-1',
      instance_id: '6c1e1c4e-0d5b-4f7e-9a57-0f2d7c4c4f5e',
      status: 'connected',
      version: '0.1.0',
      hostname: 'load-2',
      labels: { zone: 'a' },
      workers: 1,
      cores: 4,
      registered_at: '2026-11-21T14:15:03.000Z',
      last_heartbeat_at: '2026-11-21T14:20:41.213Z',
      clock: { offset_ms: -0.8, error_ms: 0.14 },
      rpc: { chain_id: 412346, ok: true },
      feed: { connected: true, last_sequence: 18231 },
      current_run_id: 'r-20261121-142000-k3v9ax',
      partition: { first: 0, count: 100 },
      counters: { plexus_feed_messages_total: 1204, plexus_tx_failed_total: 30 },
    },
  ],
};
