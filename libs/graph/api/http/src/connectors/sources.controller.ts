import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Graph, type SyncReply } from '#graph/engine';
import { Requires } from '#platform/auth';
import { SyncReplyDto } from '../ingest/ingest-reply.dto.ts';

class SyncedSourceDto {
  @ApiProperty({ example: 'corp-ldap' }) declare connector_id: string;
  @ApiProperty({ format: 'date-time' }) declare synced_at: string;
  @ApiProperty({ type: SyncReplyDto, description: 'Changes of the latest sync.' })
  declare last_sync: SyncReplyDto;
}

class SourceListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({
    type: [SyncedSourceDto],
    description: 'Synced sources, as far back as replies of syncs are kept.',
  })
  declare sources: SyncedSourceDto[];
}

interface Source {
  readonly connector_id: string;
  readonly synced_at: string;
  readonly last_sync: SyncReply;
}

@ApiTags('connectors')
@Controller('v1/sources')
export class SourcesController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Get()
  @Requires('read')
  @ApiOperation({
    operationId: 'listSources',
    summary:
      'Who has synced, the latest first, with what the sync changed: connectors of the service and others',
  })
  @ApiOkResponse({ type: SourceListDto })
  list(): { readonly count: number; readonly sources: readonly Source[] } {
    const sources = this.#graph
      .lastSyncs()
      .map(({ connector_id, synced_at, reply: last_sync }) => ({ connector_id, synced_at, last_sync }))
      .sort((a, b) => (a.synced_at < b.synced_at ? 1 : -1));
    return { count: sources.length, sources };
  }
}
