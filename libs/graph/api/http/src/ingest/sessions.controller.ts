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
import { type Caller, From, requireOwnScope, Requires } from '#platform/auth';
import { DomainError, inTurns } from '#platform/foundation';
import { ApiErrors, ExactIntegers } from '#platform/http';
import { REPLAYED_HEADER } from '../replayed-header.ts';
import { BATCH_EXAMPLE, SESSION_EXAMPLE } from './ingest-examples.ts';
import { parseOptions, SyncQueryDto, syncOptions, WriteQueryDto } from './ingest-options.dto.ts';
import { SessionReplyDto, SyncReplyDto } from './ingest-reply.dto.ts';
import { BatchDto, SafetyValveDto, SyncScopeDto } from './ingest.dto.ts';

const ID = { name: 'id', description: 'session_id' };
interface BatchPath {
  readonly id: string;
  readonly n: string;
}

const BATCH_NUMBER = /^[1-9]\d{0,8}$/;

@ApiTags('ingest')
@Controller('v1/ingest/sessions')
export class SessionsController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Post()
  @Requires('write', { keepsSource: true })
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
  open(@Body() body: unknown, @From() caller: Caller): Promise<SessionReply> {
    const scope = parseSyncScope(body);
    requireOwnScope(caller, scope);
    return this.#graph.sessions.open(scope);
  }

  @Get(':id')
  @Requires('write', { keepsSource: true })
  @ApiOperation({ operationId: 'getSession', summary: 'What a session has received' })
  @ApiParam(ID)
  @ApiOkResponse({ type: SessionReplyDto })
  @ApiErrors('NOT_FOUND', 'SESSION_EXPIRED')
  async get(@Param('id') id: string, @From() caller: Caller): Promise<SessionReply> {
    await this.#requireOwn(id, caller);
    return this.#graph.sessions.get(id);
  }

  @Put(':id/batches/:n')
  @Requires('write', { keepsSource: true })
  @ExactIntegers()
  @ApiOperation({ operationId: 'putBatch', summary: 'One part, numbered from 1; sending it again is fine' })
  @ApiParam(ID)
  @ApiParam({ name: 'n', schema: { type: 'integer', minimum: 1, example: 1 } })
  @ApiBody({ type: BatchDto, examples: { part: { value: BATCH_EXAMPLE } } })
  @ApiOkResponse({ type: SessionReplyDto })
  @ApiErrors('INVALID_REQUEST', 'NESTED_PROPERTY', 'NOT_FOUND', 'CONFLICT', 'SESSION_EXPIRED')
  @ApiErrors('BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async putBatch(
    @Param() { id, n }: BatchPath,
    @Body() body: unknown,
    @Query() options: WriteQueryDto,
    @From() caller: Caller,
  ): Promise<SessionReply> {
    await this.#requireOwn(id, caller);
    const batch = await inTurns(parseSessionBatch(body, parseOptions(options)));
    return this.#graph.sessions.putBatch(id, batchNumber(n), batch);
  }

  @Post(':id/commit')
  @Requires('write', { keepsSource: true })
  @HttpCode(200)
  @ApiOperation({
    operationId: 'commitSession',
    summary: 'One atomic diff of all parts; answers like a sync',
  })
  @ApiParam(ID)
  @ApiBody({ type: SafetyValveDto, required: false })
  @ApiOkResponse({ type: SyncReplyDto, headers: REPLAYED_HEADER })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT', 'SYNC_WOULD_DELETE_TOO_MUCH', 'SESSION_EXPIRED')
  @ApiErrors('DANGLING_RELATIONSHIP', 'DUPLICATE_KEY', 'BODY_TOO_LARGE', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async commit(
    @Param('id') id: string,
    @Body() body: unknown,
    @Query() options: SyncQueryDto,
    @From() caller: Caller,
  ): Promise<SyncReply> {
    await this.#requireOwn(id, caller);
    return this.#graph.sessions.commit(id, { ...syncOptions(options), ...parseSafetyValve(body) });
  }

  @Post(':id/abort')
  @Requires('write', { keepsSource: true })
  @HttpCode(200)
  @ApiOperation({ operationId: 'abortSession', summary: 'Drops the parts' })
  @ApiParam(ID)
  @ApiOkResponse({ type: SessionReplyDto })
  @ApiErrors('NOT_FOUND', 'CONFLICT', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async abort(@Param('id') id: string, @From() caller: Caller): Promise<SessionReply> {
    await this.#requireOwn(id, caller);
    return this.#graph.sessions.abort(id);
  }

  /** A session of another source is none to a caller with a source. */
  async #requireOwn(id: string, { source }: Caller): Promise<void> {
    if (source === undefined || (await this.#graph.sessions.sourceOf(id)) === source) return;
    throw new DomainError('NOT_FOUND', 'no such session');
  }
}

function batchNumber(text: string): number {
  if (BATCH_NUMBER.test(text)) return Number(text);
  throw new DomainError('INVALID_REQUEST', 'batch number: expected a whole number from 1');
}
