import { Controller, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { BulkLoad, type BulkLoadReply, Graph, parseConnectorId } from '#graph/engine';
import { type Caller, From, Requires, sourceOf } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { ApiErrors, isGzipped, NDJSON, StreamingBody, unpackStream } from '#platform/http';
import { BULK_EXAMPLE } from './ingest-examples.ts';
import { BulkQueryDto, parseOptions } from './ingest-options.dto.ts';
import { BulkReplyDto } from './ingest-reply.dto.ts';

@ApiTags('ingest')
@Controller('v1/ingest')
export class BulkController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Post('bulk')
  @Requires('write', { keepsSource: true })
  @HttpCode(200)
  @StreamingBody()
  @ApiOperation({
    operationId: 'bulkLoad',
    summary: 'One operation a line, streamed; good lines are kept beside bad ones',
  })
  @ApiConsumes(NDJSON)
  @ApiBody({ schema: { type: 'string' }, examples: { lines: { value: BULK_EXAMPLE } } })
  @ApiOkResponse({ type: BulkReplyDto })
  @ApiErrors('INVALID_REQUEST', 'UNSUPPORTED_MEDIA_TYPE', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  bulk(
    @Req() request: FastifyRequest,
    @Query() options: BulkQueryDto,
    @From() caller: Caller,
  ): Promise<BulkLoadReply> {
    if (request.headers['content-type'] === undefined || request.body !== request.raw) {
      throw new DomainError('UNSUPPORTED_MEDIA_TYPE', `Content-Type: expected ${NDJSON}`);
    }
    const body = isGzipped(request.headers) ? unpackStream(request.raw) : request.raw;
    const load = new BulkLoad(this.#graph, {
      parse: parseOptions(options),
      write: {
        connectorId: sourceOf(caller, parseConnectorId(options.connector_id)),
        onDangling: options.on_dangling,
      },
      refusesDeletes: caller.source !== undefined,
    });
    return load.run(body);
  }
}
