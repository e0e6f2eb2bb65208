import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Graph } from '#graph/engine';
import {
  type KeptQuery,
  parseQueryJson,
  parseQueryYaml,
  parseSavedQuery,
  type QueriesReply,
  queryYaml,
  SavedQueries,
} from '#graph/query';
import { Requires } from '#platform/auth';
import { ApiErrors, ExactIntegers, TakesText, TextBody, YAML } from '#platform/http';
import { assertSameName } from './same-name.ts';
import {
  EXAMPLE_QUERY,
  EXAMPLE_QUERY_NAME,
  QUERIES_CHANGED_EXAMPLE,
  QUERY_SET_EXAMPLE,
  QUERY_YAML_EXAMPLE,
  SAVED_QUERY_EXAMPLE,
  SAVED_QUERY_LIST_EXAMPLE,
} from './saved-query-examples.ts';
import {
  QueriesReplyDto,
  QuerySetDto,
  SavedQueryBodyDto,
  SavedQueryDto,
  SavedQueryFilterDto,
  SavedQueryListDto,
  SavedQueryModeDto,
} from './saved-query.dto.ts';

const NAME = { name: 'name', schema: { type: 'string', example: EXAMPLE_QUERY_NAME } } as const;
const YAML_TYPE = `${YAML}; charset=utf-8`;

@ApiTags('saved queries')
@Controller('v1/queries')
export class SavedQueriesController {
  readonly #queries: SavedQueries;
  readonly #graph: Graph;

  constructor(@Inject(SavedQueries) queries: SavedQueries, @Inject(Graph) graph: Graph) {
    this.#queries = queries;
    this.#graph = graph;
  }

  @Get()
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'listSavedQueries',
    summary: 'All saved queries, by name; format=yaml exports them as a file',
  })
  @ApiExtraModels(SavedQueryListDto)
  @ApiOkResponse({
    description: 'The queries, or a file of them.',
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(SavedQueryListDto) },
        example: SAVED_QUERY_LIST_EXAMPLE,
      },
      [YAML]: { schema: { type: 'string' }, example: QUERY_YAML_EXAMPLE },
    },
  })
  @ApiErrors('INVALID_REQUEST')
  list(@Query() { tag, format }: SavedQueryFilterDto, @Res() reply: FastifyReply): void {
    const queries = this.#queries.list().filter(({ tags }) => tag === undefined || tags.includes(tag));
    if (format === 'yaml') {
      const disposition = 'attachment; filename="queries.yaml"';
      reply.header('Content-Disposition', disposition).type(YAML_TYPE).send(queryYaml(queries));
    } else reply.send({ count: queries.length, queries });
  }

  @Post()
  @Requires('write')
  @ExactIntegers()
  @HttpCode(200)
  @TakesText(YAML)
  @ApiOperation({
    operationId: 'importSavedQueries',
    summary: 'Adds and changes the queries of a file, all or none; mode=replace removes all others',
  })
  @ApiConsumes('application/json', YAML)
  @ApiBody({ type: QuerySetDto, examples: { queries: { value: QUERY_SET_EXAMPLE } } })
  @ApiOkResponse({ type: QueriesReplyDto, example: QUERIES_CHANGED_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'PQL_SYNTAX', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  import(@Body() body: unknown, @Query() { mode = 'merge' }: SavedQueryModeDto): Promise<QueriesReply> {
    const queries = body instanceof TextBody ? parseQueryYaml(body.text, 'body') : parseQueryJson(body);
    return this.#queries.change(queries, mode);
  }

  @Get(':name')
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'getSavedQuery', summary: 'One saved query' })
  @ApiParam(NAME)
  @ApiOkResponse({ type: SavedQueryDto, example: SAVED_QUERY_EXAMPLE })
  @ApiErrors('NOT_FOUND', 'STORE_UNAVAILABLE')
  get(@Param('name') name: string): Promise<KeptQuery> {
    return this.#graph.documents.found(() => this.#queries.get(name));
  }

  @Put(':name')
  @Requires('write')
  @ExactIntegers()
  @ApiOperation({
    operationId: 'putSavedQuery',
    summary: 'Saves a query under a name, instead of the one that has it; its text has to parse and bind',
  })
  @ApiParam(NAME)
  @ApiBody({ type: SavedQueryBodyDto, examples: { query: { value: EXAMPLE_QUERY } } })
  @ApiOkResponse({ type: SavedQueryDto, example: SAVED_QUERY_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'PQL_SYNTAX', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async put(@Param('name') name: string, @Body() body: SavedQueryBodyDto): Promise<KeptQuery> {
    assertSameName(body.name, name);
    const { text, description, tags, parameters } = body;
    await this.#queries.change([parseSavedQuery({ name, text, description, tags, parameters })]);
    return this.#queries.get(name);
  }

  @Delete(':name')
  @Requires('write')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteSavedQuery', summary: 'Removes a saved query' })
  @ApiParam(NAME)
  @ApiNoContentResponse()
  @ApiErrors('NOT_FOUND', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async delete(@Param('name') name: string): Promise<void> {
    await this.#queries.remove(name);
  }
}
