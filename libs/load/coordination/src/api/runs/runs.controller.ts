import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { parseScenarioText } from '#load/scenario';
import { DomainError } from '#platform/foundation';
import { ApiErrors, TakesText, TextBody, TOML, YAML } from '#platform/http';
import { Hive, type RunPage } from '../../hive/hive.ts';
import type { RunView } from '../../run/run-view.ts';
import { RUN_EXAMPLE, RUN_SUMMARY_EXAMPLE, RUN_WAITING_EXAMPLE, SCENARIO_EXAMPLE } from './run-examples.ts';
import { RunDto, RunListDto, RunListQueryDto, RUNS_LIMIT_DEFAULT, ScenarioDto, StopDto } from './run.dto.ts';

/** A scenario as it came: what it says, and its text. */
interface ScenarioBody {
  readonly document: unknown;
  /** YAML, TOML or JSON: as its author wrote it, where that came here. */
  readonly text: string;
}

const RUN_ID = { name: 'run_id', schema: { type: 'string', example: RUN_SUMMARY_EXAMPLE.run_id } } as const;

@ApiTags('runs')
@Controller('runs')
export class RunsController {
  readonly #hive: Hive;

  constructor(@Inject(Hive) hive: Hive) {
    this.#hive = hive;
  }

  @Post()
  @TakesText(YAML, TOML)
  @ApiOperation({
    summary:
      'Begins a run. It is Starting until every registered edge has acknowledged it; none is needed yet',
  })
  @ApiConsumes('application/json', YAML, TOML)
  @ApiBody({ type: ScenarioDto, examples: { smoke: { value: SCENARIO_EXAMPLE } } })
  @ApiCreatedResponse({ type: RunDto, example: RUN_WAITING_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'SCENARIO_INVALID', 'RUN_ACTIVE', 'BODY_TOO_LARGE')
  @ApiErrors('UNSUPPORTED_MEDIA_TYPE', 'NO_DISK_SPACE')
  async create(@Body() body: unknown): Promise<RunView> {
    const { document, text } = scenarioBody(body);
    const { runId } = await this.#hive.runs.create(document, text);
    return this.get(runId);
  }

  @Get()
  @ApiOperation({ summary: 'Runs, the latest first, a page at a time' })
  @ApiOkResponse({ type: RunListDto, example: { runs: [RUN_SUMMARY_EXAMPLE] } })
  @ApiErrors('INVALID_REQUEST')
  list(@Query() { limit, cursor }: RunListQueryDto): RunPage {
    return this.#hive.list(Number(limit ?? RUNS_LIMIT_DEFAULT), cursor);
  }

  @Get(':run_id')
  @ApiOperation({ summary: 'How a run stands: whom it waits for, what it has sent, how fast' })
  @ApiParam(RUN_ID)
  @ApiOkResponse({ type: RunDto, example: RUN_EXAMPLE })
  @ApiErrors('NOT_FOUND')
  get(@Param('run_id') runId: string): RunView {
    return this.#hive.view(runId);
  }

  @Delete(':run_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Removes a run that has ended, with its files and its report' })
  @ApiParam(RUN_ID)
  @ApiNoContentResponse()
  @ApiErrors('NOT_FOUND', 'RUN_ACTIVE', 'STORE_UNAVAILABLE')
  async remove(@Param('run_id') runId: string): Promise<void> {
    await this.#hive.runs.remove(runId);
  }

  @Post(':run_id/stop')
  @HttpCode(202)
  @ApiOperation({ summary: 'Ends the load of a run, or the run; one that is Starting is Failed' })
  @ApiParam(RUN_ID)
  @ApiBody({ type: StopDto, examples: { drain: { value: { mode: 'drain' } } } })
  @ApiAcceptedResponse({ type: RunDto, example: RUN_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'RUN_ENDED', 'UNSUPPORTED_MEDIA_TYPE')
  stop(@Param('run_id') runId: string, @Body() { mode }: StopDto): RunView {
    this.#hive.runs.stop(runId, mode);
    return this.get(runId);
  }
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
