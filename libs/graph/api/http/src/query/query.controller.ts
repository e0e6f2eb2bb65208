import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { formatQuery, parseQueryRequest, QueryService } from '#graph/query';
import { callerOf, Requires } from '#platform/auth';
import { ApiErrors, endWhenStalled, ExactIntegers, hangUpOf, NDJSON } from '#platform/http';
import { LINES_EXAMPLE, QUERY_EXAMPLES } from './query-examples.ts';
import { QueryDto, QueryReplyDto, PqlTextDto } from './query.dto.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const NDJSON_TYPE = `${NDJSON}; charset=utf-8`;

const FORMAT_EXAMPLE = 'find host as h that runs service as s where s.port < 1024 return h.name, s.name';

@ApiTags('query')
@Controller('v1/query')
export class QueryController {
  readonly #queries: QueryService;

  constructor(@Inject(QueryService) queries: QueryService) {
    this.#queries = queries;
  }

  @Post()
  @Requires('read', { keepsScope: true })
  @ExactIntegers()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'query',
    summary: 'Runs PQL; as application/x-ndjson without a page limit, one record a line',
  })
  @ApiBody({ type: QueryDto, examples: QUERY_EXAMPLES })
  @ApiExtraModels(QueryReplyDto)
  @ApiOkResponse({
    description: 'A page of the result; with `Accept: application/x-ndjson` the whole result as lines.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(QueryReplyDto) } },
      [NDJSON]: { schema: { type: 'string' }, example: LINES_EXAMPLE },
    },
  })
  @ApiErrors('INVALID_REQUEST', 'PQL_SYNTAX', 'MISSING_PARAMETER', 'CURSOR_EXPIRED', 'QUERY_TOO_LARGE')
  @ApiErrors('CONFLICT', 'BEYOND_HISTORY', 'STORE_UNAVAILABLE')
  @ApiErrors('UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE', 'TOO_BUSY', 'QUERY_TIMEOUT')
  async query(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // Not by `@Body()` or `@From()`: pipes over a parameter wait four times before the handler is called.
    const { scope } = callerOf(request);
    const asked = { ...parseQueryRequest(request.body), scope };
    const hangUp = hangUpOf(reply);
    if (request.headers.accept?.includes(NDJSON) === true) {
      const chunks = await this.#queries.stream(asked, hangUp);
      endWhenStalled(reply);
      reply.type(NDJSON_TYPE).send(Readable.from(chunks, { objectMode: false }));
    } else {
      const bytes = await this.#queries.reply(asked, hangUp);
      reply.header('Content-Type', JSON_TYPE).send(bytes.payload);
      if (bytes.isLarge) reply.raw.once('finish', () => bytes.giveBack());
    }
  }

  @Post('format')
  @Requires('read', { keepsScope: true })
  @HttpCode(200)
  @ApiOperation({ operationId: 'formatQuery', summary: 'Lays out PQL: a line for each hop and clause' })
  @ApiBody({ type: PqlTextDto, examples: { query: { value: { pql: FORMAT_EXAMPLE } } } })
  @ApiOkResponse({ type: PqlTextDto, example: { pql: formatQuery(FORMAT_EXAMPLE) } })
  @ApiErrors('INVALID_REQUEST', 'PQL_SYNTAX', 'UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE')
  format(@Body() { pql }: PqlTextDto): PqlTextDto {
    return { pql: formatQuery(pql) };
  }
}
