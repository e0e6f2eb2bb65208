import { Body, Controller, Get, HttpCode, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  Graph,
  parseSafetyValve,
  parseSessionBatch,
  parseSyncScope,
  type SessionReply,
  type SyncReply,
} from '#graph/engine';
import { DomainError, inTurns } from '#platform/foundation';
import { ApiErrors, ExactIntegers } from '#platform/http';
import { BATCH_EXAMPLE, SESSION_EXAMPLE } from './ingest-examples.ts';
import { parseOptions, SyncQueryDto, syncOptions, WriteQueryDto } from './ingest-options.dto.ts';
import { SessionReplyDto, SyncReplyDto } from './ingest-reply.dto.ts';
import { BatchDto, SafetyValveDto, SyncScopeDto } from './ingest.dto.ts';

const ID = { name: 'id', description: 'session_id' };
const BATCH_NUMBER = /^[1-9]\d{0,8}$/;

@ApiTags('ingest')
@Controller('v1/ingest/sessions')
export class SessionsController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Post()
  @ApiOperation({
    operationId: 'openSession',
    summary: 'Opens a sync that comes in parts; it expires after 24 hours',
  })
  @ApiBody({ type: SyncScopeDto, examples: { full: { value: SESSION_EXAMPLE } } })
  @ApiCreatedResponse({ type: SessionReplyDto })
  @ApiErrors(
    'INVALID_REQUEST',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'STORE_UNAVAILABLE',
    'NO_DISK_SPACE',
  )
  open(@Body() body: unknown): Promise<SessionReply> {
    return this.#graph.sessions.open(parseSyncScope(body));
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getSession', summary: 'What a session has received' })
  @ApiParam(ID)
  @ApiOkResponse({ type: SessionReplyDto })
  @ApiErrors('NOT_FOUND', 'SESSION_EXPIRED')
  get(@Param('id') id: string): Promise<SessionReply> {
    return this.#graph.sessions.get(id);
  }

  @Put(':id/batches/:n')
  @ExactIntegers()
  @ApiOperation({ operationId: 'putBatch', summary: 'One part, numbered from 1; sending it again is fine' })
  @ApiParam(ID)
  @ApiParam({ name: 'n', schema: { type: 'integer', minimum: 1, example: 1 } })
  @ApiBody({ type: BatchDto, examples: { part: { value: BATCH_EXAMPLE } } })
  @ApiOkResponse({ type: SessionReplyDto })
  @ApiErrors('INVALID_REQUEST', 'NESTED_PROPERTY', 'NOT_FOUND', 'CONFLICT', 'SESSION_EXPIRED')
  @ApiErrors('BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async putBatch(
    @Param('id') id: string,
    @Param('n') n: string,
    @Body() body: unknown,
    @Query() options: WriteQueryDto,
  ): Promise<SessionReply> {
    const batch = await inTurns(parseSessionBatch(body, parseOptions(options)));
    return this.#graph.sessions.putBatch(id, batchNumber(n), batch);
  }

  @Post(':id/commit')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'commitSession',
    summary: 'One atomic diff of all parts; answers like a sync',
  })
  @ApiParam(ID)
  @ApiBody({ type: SafetyValveDto, required: false })
  @ApiOkResponse({ type: SyncReplyDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT', 'SYNC_WOULD_DELETE_TOO_MUCH', 'SESSION_EXPIRED')
  @ApiErrors('DANGLING_RELATIONSHIP', 'DUPLICATE_KEY', 'BODY_TOO_LARGE', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  commit(@Param('id') id: string, @Body() body: unknown, @Query() options: SyncQueryDto): Promise<SyncReply> {
    return this.#graph.sessions.commit(id, { ...syncOptions(options), ...parseSafetyValve(body) });
  }

  @Post(':id/abort')
  @HttpCode(200)
  @ApiOperation({ operationId: 'abortSession', summary: 'Drops the parts' })
  @ApiParam(ID)
  @ApiOkResponse({ type: SessionReplyDto })
  @ApiErrors('NOT_FOUND', 'CONFLICT', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  abort(@Param('id') id: string): Promise<SessionReply> {
    return this.#graph.sessions.abort(id);
  }
}

function batchNumber(text: string): number {
  if (BATCH_NUMBER.test(text)) return Number(text);
  throw new DomainError('INVALID_REQUEST', 'batch number: expected a whole number from 1');
}
