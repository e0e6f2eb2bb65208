import {
  applyDecorators,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
  type OpenAPIObject,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AuditedChanges } from '#platform/audit';
import { Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { ApiErrors, OpenApi } from '#platform/http';
import { ProxyRunner, ProxySource, type ReloadResult } from '#proxy/engine';
import { answer, CONTENT_TYPE, sendAnswer } from '../answer/answer.ts';
import { detailText, explanationAnswer } from '../answer/snapshot-answers.ts';
import { ProxyStateDto } from '../answer/snapshot.dto.ts';
import {
  AboutDto,
  DrainDto,
  EndpointSwitchDto,
  ExplainDto,
  ExplanationDto,
  ReloadResultDto,
} from './control.dto.ts';

const UNPROCESSABLE = 422;

/** A change must declare JSON, which a form of another site cannot do; the content is ignored. */
const JsonBody = (): MethodDecorator =>
  applyDecorators(
    ApiConsumes('application/json'),
    ApiBody({ required: false, schema: { type: 'object', example: {} } }),
  );

/** Inspects and controls the proxy. */
@ApiTags('proxy')
@Controller('admin/v1')
export class ControlController {
  readonly #source: ProxySource;
  readonly #runner: ProxyRunner;
  readonly #about: AboutDto;
  readonly #openApi: OpenApi;
  readonly #audit: AuditedChanges;

  constructor(
    @Inject(ProxySource) source: ProxySource,
    @Inject(ProxyRunner) runner: ProxyRunner,
    @Inject(AboutDto) about: AboutDto,
    @Inject(OpenApi) openApi: OpenApi,
    @Inject(AuditedChanges) audit: AuditedChanges,
  ) {
    this.#audit = audit;
    this.#source = source;
    this.#runner = runner;
    this.#about = about;
    this.#openApi = openApi;
  }

  @Get('live')
  @ApiOperation({ summary: 'OK while the process is responsive' })
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string', example: 'OK' } } } })
  getLive(@Res() reply: FastifyReply): void {
    sendAnswer(reply, answer(200, CONTENT_TYPE.text, 'OK'));
  }

  @Get('about')
  @ApiOperation({ summary: 'The name of this proxy, and whether changes are accepted' })
  @ApiOkResponse({ type: AboutDto })
  getAbout(): AboutDto {
    return this.#about;
  }

  @Get('openapi.json')
  @ApiExcludeEndpoint()
  document(): OpenAPIObject | undefined {
    return this.#openApi.document;
  }

  @Get('clusters')
  @ApiOperation({ summary: 'Listeners, clusters and endpoints in detail' })
  @ApiOkResponse({ type: ProxyStateDto })
  async getState(@Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, answer(200, CONTENT_TYPE.json, detailText(await this.#source.snapshot())));
  }

  @Get('explain')
  @ApiOperation({ summary: 'The route and endpoint for a request, and why. Nothing is sent' })
  @ApiOkResponse({ type: ExplanationDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT')
  async explain(@Query() question: ExplainDto, @Res() reply: FastifyReply): Promise<void> {
    sendAnswer(reply, explanationAnswer(await this.#source.explain(question)));
  }

  @Post('reload')
  @Requires('reload')
  @ApiOperation({ summary: 'Reloads the configuration. An invalid one changes nothing' })
  @JsonBody()
  @ApiOkResponse({ type: ReloadResultDto })
  @ApiResponse({
    status: UNPROCESSABLE,
    type: ReloadResultDto,
    description: 'The configuration was rejected.',
  })
  @ApiErrors('FORBIDDEN')
  async reload(@Res() reply: FastifyReply): Promise<void> {
    const change = { target: 'configuration' };
    const isMade = ({ result: state }: ReloadResult): boolean => state !== 'rejected';
    const result = await this.#audit.make(change, () => this.#runner.reload(), isMade);
    const status = result.result === 'rejected' ? UNPROCESSABLE : 200;
    sendAnswer(reply, answer(status, CONTENT_TYPE.json, JSON.stringify(result)));
  }

  @Post('drain')
  @Requires('drain')
  @HttpCode(202)
  @ApiOperation({ summary: 'Completes requests in progress, then exits' })
  @JsonBody()
  @ApiAcceptedResponse({ type: DrainDto })
  @ApiErrors('FORBIDDEN')
  drain(): DrainDto {
    this.#audit.announce({ target: 'proxy' });
    this.#runner.drain('request');
    return { state: 'DRAINING' };
  }

  @Post('endpoints/:cluster/:address')
  @Requires('drain')
  @HttpCode(200)
  @ApiOperation({ summary: 'Enables an endpoint' })
  @JsonBody()
  @ApiOkResponse({ type: EndpointSwitchDto })
  @ApiErrors('NOT_FOUND', 'CONFLICT', 'FORBIDDEN')
  enableEndpoint(
    @Param('cluster') cluster: string,
    @Param('address') address: string,
  ): Promise<EndpointSwitchDto> {
    return this.#switch(cluster, address, true);
  }

  @Delete('endpoints/:cluster/:address')
  @Requires('drain')
  @ApiOperation({ summary: 'Disables an endpoint; it completes the requests that it has' })
  @JsonBody()
  @ApiOkResponse({ type: EndpointSwitchDto })
  @ApiErrors('NOT_FOUND', 'CONFLICT', 'FORBIDDEN')
  disableEndpoint(
    @Param('cluster') cluster: string,
    @Param('address') address: string,
  ): Promise<EndpointSwitchDto> {
    return this.#switch(cluster, address, false);
  }

  async #switch(cluster: string, address: string, isEnabled: boolean): Promise<EndpointSwitchDto> {
    await this.#audit.make({ target: `${cluster} ${address}` }, async () => {
      const isThere = await this.#source.setEndpoint({ cluster, address, isEnabled });
      if (!isThere) throw new DomainError('NOT_FOUND', `cluster ${cluster} has no endpoint ${address}`);
    });
    return { cluster, address, enabled: isEnabled };
  }
}
