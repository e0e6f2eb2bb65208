import { Body, Controller, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DiffService, type RecordDiffReply, type RowDiffReply } from '#graph/query';
import { type Caller, From, Requires } from '#platform/auth';
import { ApiErrors, ExactIntegers, hangUpOf } from '#platform/http';
import {
  DiffQueryDto,
  recordDiffRequest,
  RecordDiffReplyDto,
  RowDiffDto,
  RowDiffReplyDto,
  rowDiffRequest,
} from './diff.dto.ts';

const EXAMPLES = {
  hosts: { summary: 'hosts that came and went', value: { pql: 'FIND Host', from: 0 } },
  rows: {
    summary: 'rights that came and went',
    value: {
      pql: 'FIND user AS u THAT ASSIGNED role THAT ALLOWS (DataStore|Database) AS d RETURN u._key, d._key',
      from: 0,
      limit: 2,
    },
  },
};

@ApiTags('query')
@Controller('v1/diff')
export class DiffController {
  readonly #diffs: DiffService;

  constructor(@Inject(DiffService) diffs: DiffService) {
    this.#diffs = diffs;
  }

  @Get()
  @Requires('read')
  @ApiOperation({
    operationId: 'diff',
    summary: 'Entities and relationships that were created, changed or deleted between two moments',
  })
  @ApiOkResponse({ type: RecordDiffReplyDto })
  @ApiErrors('INVALID_REQUEST', 'CONFLICT', 'BEYOND_HISTORY', 'TOO_BUSY', 'QUERY_TIMEOUT')
  @ApiErrors('STORE_UNAVAILABLE')
  records(
    @Query() query: DiffQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecordDiffReply> {
    return this.#diffs.records(recordDiffRequest(query), hangUpOf(reply));
  }

  @Post()
  @Requires('read', { keepsScope: true })
  @ExactIntegers()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'diffQuery',
    summary: 'The rows of a query that came and went between two moments',
  })
  @ApiBody({ type: RowDiffDto, examples: EXAMPLES })
  @ApiOkResponse({ type: RowDiffReplyDto })
  @ApiErrors('INVALID_REQUEST', 'PQL_SYNTAX', 'MISSING_PARAMETER', 'CONFLICT', 'BEYOND_HISTORY')
  @ApiErrors('QUERY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE', 'TOO_BUSY', 'QUERY_TIMEOUT')
  @ApiErrors('STORE_UNAVAILABLE')
  rows(
    @Body() body: RowDiffDto,
    @Res({ passthrough: true }) reply: FastifyReply,
    @From() { scope }: Caller,
  ): Promise<RowDiffReply> {
    return this.#diffs.rows({ ...rowDiffRequest(body), scope }, hangUpOf(reply));
  }
}
