import { Body, Controller, Get, HttpCode, Inject, type OnModuleDestroy, Param, Post } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  ConnectorFiles,
  connectorList,
  ConnectorRuns,
  type ConnectorSummary,
  type RunRecord,
} from '#graph/connector';
import { Graph } from '#graph/engine';
import { Requires } from '#platform/auth';
import { ApiErrors } from '#platform/http';
import {
  BEGUN_RUN_EXAMPLE,
  CONNECTOR_LIST_EXAMPLE,
  RUN_EXAMPLE,
  RUN_LIST_EXAMPLE,
  STOPPED_RUN_EXAMPLE,
} from './connector-reply-examples.ts';
import { ConnectorListDto, RunConnectorDto, RunDto, RunListDto } from './connector.dto.ts';

@ApiTags('connectors')
@Controller('v1/connectors')
export class ConnectorsController implements OnModuleDestroy {
  readonly #runs: ConnectorRuns;
  readonly #graph: Graph;
  readonly #files: ConnectorFiles;

  constructor(
    @Inject(ConnectorRuns) runs: ConnectorRuns,
    @Inject(Graph) graph: Graph,
    @Inject(ConnectorFiles) files: ConnectorFiles,
  ) {
    this.#runs = runs;
    this.#graph = graph;
    this.#files = files;
  }

  @Get()
  @Requires('read')
  @ApiOperation({
    operationId: 'listConnectors',
    summary: 'The configured connectors, their last run and sync',
  })
  @ApiOkResponse({ type: ConnectorListDto, example: CONNECTOR_LIST_EXAMPLE })
  list(): { count: number; connectors: readonly ConnectorSummary[] } {
    const connectors = connectorList(this.#runs, this.#graph, this.#files);
    return { count: connectors.length, connectors };
  }

  @Post(':id/run')
  @Requires('sources')
  @HttpCode(202)
  @ApiOperation({ operationId: 'runConnector', summary: 'Begins a run; one of each connector at a time' })
  @ApiParam({ name: 'id', example: 'demo' })
  @ApiBody({ type: RunConnectorDto, required: false, examples: { plain: { value: {} } } })
  @ApiAcceptedResponse({ type: RunDto, example: BEGUN_RUN_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  run(@Param('id') id: string, @Body() { force = false }: RunConnectorDto): Promise<RunRecord> {
    return this.#runs.start(id, { force });
  }

  @Get('runs/:run_id')
  @Requires('read')
  @ApiOperation({
    operationId: 'getConnectorRun',
    summary: 'How a run stands, step by step; the last 50 of each connector are remembered',
  })
  @ApiParam({ name: 'run_id' })
  @ApiOkResponse({ type: RunDto, example: RUN_EXAMPLE })
  @ApiErrors('NOT_FOUND', 'STORE_UNAVAILABLE')
  get(@Param('run_id') runId: string): Promise<RunRecord> {
    return this.#graph.documents.found(() => this.#runs.get(runId));
  }

  @Post('runs/:run_id/stop')
  @Requires('sources')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'stopConnectorRun',
    summary: 'Stops a run, which then syncs nothing unless its sync has begun; answers when it has ended',
  })
  @ApiParam({ name: 'run_id' })
  @ApiOkResponse({ type: RunDto, example: STOPPED_RUN_EXAMPLE })
  @ApiErrors('NOT_FOUND', 'CONFLICT', 'STORE_UNAVAILABLE')
  stop(@Param('run_id') runId: string): Promise<RunRecord> {
    return this.#graph.documents.found(() => this.#runs.cancel(runId));
  }

  @Get(':id/runs')
  @Requires('read')
  @ApiOperation({
    operationId: 'listConnectorRuns',
    summary: 'The last 50 runs of a connector, newest first, before a restart too',
  })
  @ApiParam({ name: 'id', example: 'demo' })
  @ApiOkResponse({ type: RunListDto, example: RUN_LIST_EXAMPLE })
  @ApiErrors('NOT_FOUND')
  runs(@Param('id') id: string): { count: number; runs: readonly RunRecord[] } {
    const runs = this.#runs.list(id);
    return { count: runs.length, runs };
  }

  /** Runs before the graph is closed. */
  onModuleDestroy(): Promise<void> {
    return this.#runs.stop();
  }
}
