import { Body, Controller, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Graph, parseSyncRequest, parseWriteRequest, type SyncReply, type WriteReply } from '#graph/engine';
import { type Caller, From, ownWrite, requireOwnScope, Requires } from '#platform/auth';
import { inTurns } from '#platform/foundation';
import { ApiErrors, ExactIntegers } from '#platform/http';
import { REPLAYED_HEADER } from '../replayed-header.ts';
import { SYNC_EXAMPLE, WRITE_EXAMPLE } from './ingest-examples.ts';
import { parseOptions, SyncQueryDto, syncOptions, WriteQueryDto } from './ingest-options.dto.ts';
import { SyncReplyDto, WriteReplyDto } from './ingest-reply.dto.ts';
import { SyncDto, WriteDto } from './ingest.dto.ts';

@ApiTags('ingest')
@Controller('v1/ingest')
export class IngestController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Post('sync')
  @Requires('write', { keepsSource: true })
  @ExactIntegers()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'sync',
    summary: 'All that a source sees: one atomic diff; the same sync_id gives the stored reply',
  })
  @ApiBody({ type: SyncDto, examples: { inventory: { value: SYNC_EXAMPLE } } })
  @ApiOkResponse({ type: SyncReplyDto, headers: REPLAYED_HEADER })
  @ApiErrors('INVALID_REQUEST', 'NESTED_PROPERTY', 'SYNC_WOULD_DELETE_TOO_MUCH', 'BODY_TOO_LARGE')
  @ApiErrors(
    'UNSUPPORTED_MEDIA_TYPE',
    'DANGLING_RELATIONSHIP',
    'DUPLICATE_KEY',
    'STORE_UNAVAILABLE',
    'NO_DISK_SPACE',
  )
  async sync(
    @Body() body: unknown,
    @Query() options: SyncQueryDto,
    @From() caller: Caller,
  ): Promise<SyncReply> {
    const request = await inTurns(parseSyncRequest(body, parseOptions(options)));
    requireOwnScope(caller, request);
    return this.#graph.sync(request, syncOptions(options));
  }

  @Post('write')
  @Requires('write', { keepsSource: true })
  @ExactIntegers()
  @HttpCode(200)
  @ApiOperation({ operationId: 'write', summary: 'Upserts and deletes without a diff: one atomic batch' })
  @ApiBody({ type: WriteDto, examples: { change: { value: WRITE_EXAMPLE } } })
  @ApiOkResponse({ type: WriteReplyDto, headers: REPLAYED_HEADER })
  @ApiErrors('INVALID_REQUEST', 'NESTED_PROPERTY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('DANGLING_RELATIONSHIP', 'DUPLICATE_KEY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async write(
    @Body() body: unknown,
    @Query() options: WriteQueryDto,
    @From() caller: Caller,
  ): Promise<WriteReply> {
    const request = await inTurns(parseWriteRequest(body, parseOptions(options)));
    return this.#graph.write(ownWrite(caller, request), { onDangling: options.on_dangling });
  }
}
