import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventHub } from './event-hub.ts';

class EventsDto {
  @IsOptional()
  @IsIn(['true', 'false'])
  declare snapshots?: string;
}

/** What happens to the proxy, as it happens. */
@Controller('admin/v1')
export class EventsController {
  readonly #hub: EventHub;

  constructor(@Inject(EventHub) hub: EventHub) {
    this.#hub = hub;
  }

  @Get('events')
  async events(
    @Query() { snapshots }: EventsDto,
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
      snapshots: snapshots === 'true',
    });
  }
}
