import { Controller, Get, Inject, Injectable, type OnModuleDestroy, Param, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import { Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { ApiErrors, EventStream } from '#platform/http';
import { Hive } from '../../hive/hive.ts';
import { RunDto } from './run.dto.ts';

const READERS_MAX = 64;
/** Minimum time between two messages. */
const PAUSE_MS = 250;
const KEEP_ALIVE_MS = 10_000;

/** The open event streams. */
@Injectable()
export class RunStreams implements OnModuleDestroy {
  readonly #hive: Hive;
  readonly #readers = new Set<RunReader>();

  constructor(hive: Hive) {
    this.#hive = hive;
  }

  /** Throws TOO_BUSY. */
  checkRoom(): void {
    if (this.#readers.size >= READERS_MAX) {
      throw new DomainError('TOO_BUSY', `${READERS_MAX} readers already follow runs`);
    }
  }

  add(runId: string, response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    const reader = new RunReader(this.#hive, runId, new EventStream(response, headers));
    this.#readers.add(reader);
    response.once('close', () => {
      reader.close();
      this.#readers.delete(reader);
    });
    reader.begin();
  }

  onModuleDestroy(): void {
    for (const reader of this.#readers) reader.end();
  }
}

/** One event stream: sends the run after changes, at most once every {@link PAUSE_MS}. */
class RunReader {
  readonly #hive: Hive;
  readonly #runId: string;
  readonly #stream: EventStream;
  #unlisten: (() => void) | undefined;
  #pause: NodeJS.Timeout | undefined;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(hive: Hive, runId: string, stream: EventStream) {
    this.#hive = hive;
    this.#runId = runId;
    this.#stream = stream;
  }

  begin(): void {
    const active = this.#hive.runs.activeOf(this.#runId);
    if (active === undefined) {
      this.end();
      return;
    }
    this.#send('run');
    this.#keepAlive = setInterval(() => this.#stream.keepAlive(), KEEP_ALIVE_MS);
    this.#unlisten = active.effects.listen(() => {
      this.#pause ??= setTimeout(() => {
        this.#pause = undefined;
        this.#send('run');
      }, PAUSE_MS);
    });
    void active.effects.ended.then(() => this.end());
  }

  /** Sends the last message, and closes the stream. */
  end(): void {
    this.close();
    this.#send('end');
    this.#stream.end();
  }

  close(): void {
    this.#unlisten?.();
    clearTimeout(this.#pause);
    clearInterval(this.#keepAlive);
  }

  #send(event: string): void {
    this.#stream.send({ event, data: JSON.stringify(this.#hive.view(this.#runId)) });
  }
}

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
  @Requires('read')
  @ApiOperation({
    summary:
      'The state of a run, once a second and after each change, as server-sent events; `end` is the last',
  })
  @ApiParam({ name: 'run_id', schema: { type: 'string', example: 'r-20261121-142000-k3v9ax' } })
  @ApiExtraModels(RunDto)
  @ApiOkResponse({
    content: { 'text/event-stream': { schema: { $ref: getSchemaPath(RunDto) } } },
  })
  @ApiErrors('NOT_FOUND', 'TOO_BUSY')
  followRun(
    @Param('run_id') runId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
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
