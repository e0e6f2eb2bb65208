import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProxySource } from '#proxy/engine';
import { clusterListAnswer, configSummaryAnswer, readyAnswer } from '../answer/summaries.ts';
import { sendAnswer } from './send-answer.ts';

/** The specified endpoints, but for `/stats`, which is the page of metrics. */
@Controller()
export class AdminController {
  readonly #source: ProxySource;

  constructor(@Inject(ProxySource) source: ProxySource) {
    this.#source = source;
  }

  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, readyAnswer((await this.#source.snapshot()).state));
  }

  @Get('clusters')
  async clusters(@Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, clusterListAnswer(await this.#source.snapshot()));
  }

  @Get('config')
  async config(@Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, configSummaryAnswer(await this.#source.snapshot()));
  }
}
