import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DomainError } from '#platform/foundation';
import { ProxyRunner, ProxySource } from '#proxy/engine';
import { answer, CONTENT_TYPE } from '../answer/answer.ts';
import { detailText, explanationAnswer } from '../answer/detail.ts';
import { ExplainDto } from './explain.dto.ts';
import { sendAnswer } from './send-answer.ts';

const UNPROCESSABLE = 422;

/** What a reload came to, and of the switch of an endpoint. */
interface EndpointReply {
  readonly cluster: string;
  readonly address: string;
  readonly enabled: boolean;
}

/** Looks at the proxy closely, and steers it. */
@Controller('admin/v1')
export class ControlController {
  readonly #source: ProxySource;
  readonly #runner: ProxyRunner;

  constructor(@Inject(ProxySource) source: ProxySource, @Inject(ProxyRunner) runner: ProxyRunner) {
    this.#source = source;
    this.#runner = runner;
  }

  @Get('live')
  live(@Res() reply: FastifyReply): void {
    sendAnswer(reply, answer(200, CONTENT_TYPE.text, 'OK'));
  }

  @Get('clusters')
  async clusters(@Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, answer(200, CONTENT_TYPE.json, detailText(await this.#source.snapshot())));
  }

  @Get('explain')
  async explain(@Query() question: ExplainDto, @Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, explanationAnswer(await this.#source.explain(question)));
  }

  @Post('reload')
  async reload(@Res() reply: FastifyReply): Promise<void> {
    const result = await this.#runner.reload();
    const status = result.result === 'rejected' ? UNPROCESSABLE : 200;
    sendAnswer(reply, answer(status, CONTENT_TYPE.json, JSON.stringify(result)));
  }

  @Post('drain')
  @HttpCode(202)
  drain(): { readonly state: string } {
    this.#runner.drain('request');
    return { state: 'DRAINING' };
  }

  @Post('endpoints/:cluster/:address')
  @HttpCode(200)
  enable(@Param('cluster') cluster: string, @Param('address') address: string): Promise<EndpointReply> {
    return this.#switch(cluster, address, true);
  }

  @Delete('endpoints/:cluster/:address')
  disable(@Param('cluster') cluster: string, @Param('address') address: string): Promise<EndpointReply> {
    return this.#switch(cluster, address, false);
  }

  async #switch(cluster: string, address: string, isEnabled: boolean): Promise<EndpointReply> {
    const isThere = await this.#source.setEndpoint({ cluster, address, isEnabled });
    if (!isThere) throw new DomainError('NOT_FOUND', `cluster ${cluster} has no endpoint ${address}`);
    return { cluster, address, enabled: isEnabled };
  }
}
