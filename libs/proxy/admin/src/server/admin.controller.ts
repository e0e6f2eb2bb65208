import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ProxySource } from '#proxy/engine';
import { sendAnswer } from '../answer/answer.ts';
import { clusterListAnswer, configSummaryAnswer, readyAnswer } from '../answer/snapshot-answers.ts';

class EndpointSummaryDto {
  @ApiProperty({ example: '10.0.0.1:80' }) declare address: string;
  @ApiProperty() declare healthy: boolean;
  @ApiProperty({ type: 'integer' }) declare active_requests: number;
}

class ClusterSummaryDto {
  @ApiProperty({ example: 'api' }) declare name: string;
  @ApiProperty({ type: [EndpointSummaryDto] }) declare endpoints: EndpointSummaryDto[];
}

class ClusterListDto {
  @ApiProperty({ type: [ClusterSummaryDto] }) declare clusters: ClusterSummaryDto[];
}

class ConfigSummaryDto {
  @ApiProperty({ type: 'integer' }) declare listeners: number;
  @ApiProperty({ type: 'integer' }) declare clusters: number;
  @ApiProperty({ type: 'integer' }) declare routes: number;
}

/** The specified endpoints except `/stats`, the metrics page. */
@ApiTags('specified')
@Controller()
export class AdminController {
  readonly #source: ProxySource;

  constructor(@Inject(ProxySource) source: ProxySource) {
    this.#source = source;
  }

  @Get('ready')
  @ApiOperation({ summary: 'LIVE while the proxy accepts traffic; else 503 with its state' })
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string', example: 'LIVE' } } } })
  async getReady(@Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, readyAnswer((await this.#source.snapshot()).state));
  }

  @Get('clusters')
  @ApiOperation({ summary: 'Clusters with their endpoints and health' })
  @ApiOkResponse({ type: ClusterListDto })
  async listClusters(@Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, clusterListAnswer(await this.#source.snapshot()));
  }

  @Get('config')
  @ApiOperation({ summary: 'Number of listeners, clusters and routes' })
  @ApiOkResponse({ type: ConfigSummaryDto })
  async getConfigSummary(@Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, configSummaryAnswer(await this.#source.snapshot()));
  }
}
