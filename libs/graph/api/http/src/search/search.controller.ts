import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { momentText, parseMoment } from '#graph/engine';
import { type SearchReply, SearchService } from '#graph/search';
import { type Caller, From, Requires } from '#platform/auth';
import { ApiErrors, hangUpOf } from '#platform/http';
import { SearchQueryDto, SearchReplyDto } from './search.dto.ts';

const LIMIT_DEFAULT = 20;

@ApiTags('query')
@Controller('v1/search')
export class SearchController {
  readonly #search: SearchService;

  constructor(@Inject(SearchService) search: SearchService) {
    this.#search = search;
  }

  @Get()
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'search', summary: 'Finds entities of all types by a part of their name' })
  @ApiOkResponse({ type: SearchReplyDto })
  @ApiErrors('INVALID_REQUEST', 'TOO_BUSY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE')
  @ApiErrors('CONFLICT', 'BEYOND_HISTORY', 'STORE_UNAVAILABLE')
  search(
    @Query() { q: text, type, limit, as_of: moment }: SearchQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
    @From() { scope }: Caller,
  ): Promise<SearchReply> {
    const asOf = moment === undefined ? undefined : parseMoment(momentText(moment), 'as_of');
    const request = { text, type, limit: limit === undefined ? LIMIT_DEFAULT : Number(limit), scope, asOf };
    return this.#search.search(request, hangUpOf(reply));
  }
}
