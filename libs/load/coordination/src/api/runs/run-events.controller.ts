import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiErrors } from '#platform/http';
import { Hive } from '../../hive/hive.ts';
import { RunStreams } from './run-streams.ts';

@ApiTags('runs')
@Controller('runs')
export class RunEventsController {
  readonly #hive: Hive;
  readonly #streams: RunStreams;

  constructor(@Inject(Hive) hive: Hive, @Inject(RunStreams) streams: RunStreams) {
    this.#hive = hive;
    this.#streams = streams;
  }

  @Get(':run_id/events')
  @ApiOperation({
    summary: 'How a run stands, once a second and at each change, as server-sent events; `end` is the last',
  })
  @ApiParam({ name: 'run_id', schema: { type: 'string', example: 'r-20261121-142000-k3v9ax' } })
  @ApiOkResponse({
    content: { 'text/event-stream': { schema: { type: 'string', example: 'event: run\ndata: {…}\n\n' } } },
  })
  @ApiErrors('NOT_FOUND', 'TOO_BUSY')
  events(@Param('run_id') runId: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.#hive.runs.get(runId);
    if (request.method === 'HEAD') {
      reply.type('text/event-stream').send('');
      return;
    }
    this.#streams.checkRoom();
    reply.hijack();
    this.#streams.add(runId, reply.raw, { 'X-Request-Id': request.id });
  }
}
