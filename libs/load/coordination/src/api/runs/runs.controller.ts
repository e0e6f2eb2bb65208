import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
} from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { systemNowUs } from '#load/protocol';
import { checkScenarioText, edgesNeeded, parseScenarioText, type ScenarioFormat } from '#load/scenario';
import { Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { ApiErrors, TakesText, TextBody, TOML, YAML } from '#platform/http';
import { Hive, type RunPage } from '../../hive/hive.ts';
import type { RecentLoadView } from '../../live/recent-load.ts';
import type { RunView } from '../../run/run-view.ts';
import { RecentLoadDto, ScenarioCheckDto } from './live.dto.ts';
import { RUN_EXAMPLE, RUN_SUMMARY_EXAMPLE, RUN_WAITING_EXAMPLE, SCENARIO_EXAMPLE } from './run-examples.ts';
import {
  RateDto,
  RunDto,
  RunListDto,
  RunListQueryDto,
  RUNS_LIMIT_DEFAULT,
  ScenarioDto,
  StopDto,
} from './run.dto.ts';

/** A body of YAML or TOML is documented as a string. */
const ScenarioBodyDoc = (): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(ScenarioDto),
    ApiBody({
      schema: { oneOf: [{ $ref: getSchemaPath(ScenarioDto) }, { type: 'string' }] },
      examples: { smoke: { value: SCENARIO_EXAMPLE } },
    }),
  );

/** A received scenario: the parsed document, and its text. */
interface ScenarioBody {
  readonly document: unknown;
  /** The original YAML or TOML; a JSON body is formatted again. */
  readonly text: string;
}

const MS_PER_S = 1_000;
const RUN_ID = { name: 'run_id', schema: { type: 'string', example: RUN_SUMMARY_EXAMPLE.run_id } } as const;

@ApiTags('runs')
@Controller('runs')
export class RunsController {
  readonly #hive: Hive;

  constructor(@Inject(Hive) hive: Hive) {
    this.#hive = hive;
  }

  @Post()
  @Requires('runs')
  @TakesText(YAML, TOML)
  @ApiOperation({
    summary:
      'Starts a run. It is Starting until every registered edge, or each that it names in edges.ids, has acknowledged it; edges can register later',
  })
  @ApiConsumes('application/json', YAML, TOML)
  @ScenarioBodyDoc()
  @ApiCreatedResponse({ type: RunDto, example: RUN_WAITING_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'SCENARIO_INVALID', 'RUN_ACTIVE', 'BODY_TOO_LARGE')
  @ApiErrors('UNSUPPORTED_MEDIA_TYPE', 'NO_DISK_SPACE')
  async createRun(@Body() body: unknown): Promise<RunView> {
    const { document, text } = scenarioBody(body);
    const { runId } = await this.#hive.runs.create(document, text);
    return this.getRun(runId);
  }

  @Post('check')
  @Requires('runs')
  @HttpCode(200)
  @TakesText(YAML, TOML)
  @ApiOperation({ summary: 'Validates a scenario, and returns its errors with their lines. Starts no run' })
  @ApiConsumes('application/json', YAML, TOML)
  @ScenarioBodyDoc()
  @ApiOkResponse({
    type: ScenarioCheckDto,
    example: { faults: [], warnings: [], name: 'smoke', planned_s: 60, edges_min: 1 },
  })
  @ApiErrors('INVALID_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  checkScenario(@Body() body: unknown): ScenarioCheckDto {
    const { format, text } = scenarioText(body);
    const { scenario, faults, warnings } = checkScenarioText(text, format);
    const stages = scenario?.load.stages ?? [];
    return {
      faults: [...faults],
      warnings: [...warnings],
      name: scenario?.name ?? null,
      planned_s:
        scenario === undefined ? null : stages.reduce((sum, { duration }) => sum + duration, 0) / MS_PER_S,
      edges_min: scenario === undefined ? null : edgesNeeded(scenario.edges),
    };
  }

  @Get()
  @Requires('read')
  @ApiOperation({ summary: 'Runs, latest first, in pages' })
  @ApiOkResponse({ type: RunListDto, example: { runs: [RUN_SUMMARY_EXAMPLE] } })
  @ApiErrors('INVALID_REQUEST')
  listRuns(@Query() { limit, cursor }: RunListQueryDto): RunPage {
    return this.#hive.list(Number(limit ?? RUNS_LIMIT_DEFAULT), cursor);
  }

  @Get(':run_id')
  @Requires('read')
  @ApiOperation({ summary: 'The state of a run: missing edges, progress, latencies' })
  @ApiParam(RUN_ID)
  @ApiOkResponse({ type: RunDto, example: RUN_EXAMPLE })
  @ApiErrors('NOT_FOUND')
  getRun(@Param('run_id') runId: string): RunView {
    return this.#hive.view(runId);
  }

  @Get(':run_id/recent')
  @Requires('read')
  @ApiOperation({
    summary: 'Rates and latencies of the last minute, also by edge, while they are polled',
  })
  @ApiParam(RUN_ID)
  @ApiOkResponse({ type: RecentLoadDto })
  @ApiErrors('NOT_FOUND')
  getRecentLoad(@Param('run_id') runId: string): RecentLoadView {
    return this.#hive.recentLoad(runId, systemNowUs());
  }

  @Delete(':run_id')
  @Requires('runs')
  @HttpCode(204)
  @ApiOperation({ summary: 'Removes a run that has ended, with its files and its report' })
  @ApiParam(RUN_ID)
  @ApiNoContentResponse()
  @ApiErrors('NOT_FOUND', 'RUN_ACTIVE', 'STORE_UNAVAILABLE')
  async removeRun(@Param('run_id') runId: string): Promise<void> {
    await this.#hive.runs.remove(runId);
  }

  @Post(':run_id/rate')
  @Requires('runs')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Changes the rate of all edges, from half a second later to the end of the load',
  })
  @ApiParam(RUN_ID)
  @ApiBody({ type: RateDto, examples: { faster: { value: { rate: 500 } } } })
  @ApiAcceptedResponse({ type: RunDto, example: RUN_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'RUN_ENDED', 'RUN_NOT_SENDING', 'UNSUPPORTED_MEDIA_TYPE')
  changeRate(@Param('run_id') runId: string, @Body() { rate }: RateDto): RunView {
    this.#hive.runs.changeRate(runId, rate);
    return this.getRun(runId);
  }

  @Post(':run_id/stop')
  @Requires('runs')
  @HttpCode(202)
  @ApiOperation({ summary: 'Ends the load of a run, or the run; a Starting run becomes Failed' })
  @ApiParam(RUN_ID)
  @ApiBody({ type: StopDto, examples: { drain: { value: { mode: 'drain' } } } })
  @ApiAcceptedResponse({ type: RunDto, example: RUN_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'RUN_ENDED', 'UNSUPPORTED_MEDIA_TYPE')
  stopRun(@Param('run_id') runId: string, @Body() { mode }: StopDto): RunView {
    this.#hive.runs.stop(runId, mode);
    return this.getRun(runId);
  }
}

/**
 * The text of a scenario; JSON is formatted again, so that faults have line numbers. Throws INVALID_REQUEST.
 */
function scenarioText(body: unknown): { readonly format: ScenarioFormat; readonly text: string } {
  if (body instanceof TextBody) return { format: body.type === YAML ? 'yaml' : 'toml', text: body.text };
  if (body === undefined) throw new DomainError('INVALID_REQUEST', 'body: expected a scenario, got nothing');
  return { format: 'json', text: `${JSON.stringify(body, null, 2)}\n` };
}

/** Throws INVALID_REQUEST, SCENARIO_INVALID. */
function scenarioBody(body: unknown): ScenarioBody {
  if (body instanceof TextBody) {
    const { type, text } = body;
    return { document: parseScenarioText(text, type === YAML ? 'yaml' : 'toml', 'body'), text };
  }
  if (body === undefined) throw new DomainError('INVALID_REQUEST', 'body: expected a scenario, got nothing');
  return { document: body, text: `${JSON.stringify(body, null, 2)}\n` };
}
