import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { ChangeFeed, type FeedMessage } from '#graph/query';
import { callerOf, Requires } from '#platform/auth';
import { abortWhenClosed, ApiErrors, endWhenStalled, NDJSON } from '#platform/http';
import { CHANGE_EXAMPLE, EVENT_EXAMPLE } from './change-example.ts';
import { ChangeDto, ChangesQueryDto } from './changes.dto.ts';

const EVENTS = 'text/event-stream';
const RETRY = 'retry: 2000\n\n';

@ApiTags('query')
@Controller('v1/changes')
export class ChangesController {
  readonly #feed: ChangeFeed;

  constructor(@Inject(ChangeFeed) feed: ChangeFeed) {
    this.#feed = feed;
  }

  @Get()
  @Requires('read')
  @ApiOperation({
    operationId: 'followChanges',
    summary: 'Changes of the graph, in order and each at least once: server-sent events, or lines of JSON',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Counts instead of `from`.' })
  @ApiExtraModels(ChangeDto)
  @ApiOkResponse({
    description:
      'A change an event or a line. `position` says where to go on after what was looked at; `end` and `error` are last.',
    content: {
      [NDJSON]: { schema: { $ref: getSchemaPath(ChangeDto) }, example: CHANGE_EXAMPLE },
      [EVENTS]: { schema: { $ref: getSchemaPath(ChangeDto) }, example: EVENT_EXAMPLE },
    },
  })
  @ApiErrors('INVALID_REQUEST', 'PQL_SYNTAX', 'BEYOND_HISTORY', 'CONFLICT', 'TOO_BUSY', 'STORE_UNAVAILABLE')
  async followChanges(
    @Query() { from, class: className, query, follow }: ChangesQueryDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Otherwise the idle connection would delay a server that closes.
    reply.header('Connection', 'close');
    const isEvents = request.headers.accept?.includes(EVENTS) === true;
    const last = request.headers['last-event-id'];
    const messages = await this.#feed.open({
      classes: className === undefined ? undefined : [className],
      query,
      from: typeof last === 'string' && last !== '' ? last : from,
      follows: follow === undefined ? isEvents : follow === 'true',
      reader: callerOf(request).name,
      signal: abortWhenClosed(reply),
    });
    endWhenStalled(reply);
    reply.header('Cache-Control', 'no-store').header('X-Accel-Buffering', 'no');
    reply.type(isEvents ? EVENTS : `${NDJSON}; charset=utf-8`);
    reply.send(Readable.from(isEvents ? eventsOf(messages) : linesOf(messages), { objectMode: false }));
  }
}

async function* eventsOf(messages: AsyncIterable<FeedMessage>): AsyncGenerator<string> {
  yield RETRY;
  for await (const { kind, id, body } of messages)
    yield `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(body)}\n\n`;
}

async function* linesOf(messages: AsyncIterable<FeedMessage>): AsyncGenerator<string> {
  for await (const { body } of messages) yield `${JSON.stringify(body)}\n`;
}
