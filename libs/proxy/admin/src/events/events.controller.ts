import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiPropertyOptional,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiErrors } from '#platform/http';
import { ProxyStateDto } from '../answer/snapshot.dto.ts';
import { EVENT_DTOS } from './event.dto.ts';
import { EventHub } from './event-hub.ts';

const FLAG = ['true', 'false'];

class EventsDto {
  @IsOptional()
  @IsIn(FLAG)
  @ApiPropertyOptional({ enum: FLAG, description: 'Whether the whole state is also sent once a second.' })
  declare snapshots?: string;

  @IsOptional()
  @IsIn(FLAG)
  @ApiPropertyOptional({ enum: FLAG, description: 'Whether the last 256 events are sent first.' })
  declare history?: string;
}

/** The proxy's events as a stream. */
@ApiTags('proxy')
@Controller('admin/v1')
export class EventsController {
  readonly #hub: EventHub;

  constructor(@Inject(EventHub) hub: EventHub) {
    this.#hub = hub;
  }

  @Get('events')
  @ApiOperation({
    summary: 'Changes as they happen, as server-sent events. `Last-Event-ID` requests missed events',
  })
  @ApiExtraModels(ProxyStateDto, ...EVENT_DTOS)
  @ApiOkResponse({
    content: {
      'text/event-stream': {
        schema: { oneOf: [ProxyStateDto, ...EVENT_DTOS].map((dto) => ({ $ref: getSchemaPath(dto) })) },
      },
    },
  })
  @ApiErrors('TOO_BUSY')
  async followEvents(
    @Query() { snapshots, history }: EventsDto,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method === 'HEAD') {
      reply.type('text/event-stream').send('');
      return;
    }
    const lastEventId = request.headers['last-event-id'];
    this.#hub.checkRoom();
    reply.hijack();
    await this.#hub.add(reply.raw, {
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
      history: history === 'true',
      snapshots: snapshots === 'true',
    });
  }
}
