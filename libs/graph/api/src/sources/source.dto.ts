import { ApiProperty } from '@nestjs/swagger';
import { SyncReplyDto } from '../ingest/ingest-reply.dto.ts';

class SyncedSourceDto {
  @ApiProperty({ example: 'corp-ldap' }) declare connector_id: string;
  @ApiProperty({ format: 'date-time' }) declare synced_at: string;
  @ApiProperty({ type: SyncReplyDto, description: 'What the latest sync changed.' })
  declare last_sync: SyncReplyDto;
}

export class SourceListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [SyncedSourceDto], description: 'As far back as replies of syncs are kept.' })
  declare sources: SyncedSourceDto[];
}
