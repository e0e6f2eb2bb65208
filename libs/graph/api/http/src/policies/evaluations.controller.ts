import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Graph, parseMoment } from '#graph/engine';
import {
  type Freshness,
  type Evaluation,
  type EvaluationSummary,
  type FindingsDiff,
  type PastEvaluation,
  PastPolicies,
  Policies,
  type Posture,
  type RuleFindings,
  type ScoreHistory,
} from '#graph/policy';
import { DiffSpans } from '#graph/query';
import { type Caller, From, Requires } from '#platform/auth';
import { ApiErrors, ExactIntegers } from '#platform/http';
import {
  EvaluationDto,
  EvaluationListDto,
  evaluationRequest,
  EvaluationRequestDto,
  PastEvaluationDto,
  PostureDto,
} from './evaluation.dto.ts';
import {
  FINDINGS_DIFF_EXAMPLES,
  FindingsDiffDto,
  findingsDiffRequest,
  FindingsDiffRequestDto,
} from './findings-diff.dto.ts';
import { RuleFindingsDto, ScoreHistoryDto } from './findings.dto.ts';
import { EVALUATION_EXAMPLES, EXAMPLE_RULE_ID } from './policy-examples.ts';
import { FindingsQueryDto, HistoryQueryDto, PostureQueryDto, ScoreQueryDto } from './policy-query.dto.ts';
import {
  EVALUATION_EXAMPLE,
  EVALUATION_LIST_EXAMPLE,
  FINDINGS_EXAMPLE,
  PAST_EVALUATION_EXAMPLE,
  POSTURE_EXAMPLE,
  SCORE_HISTORY_EXAMPLE,
} from './policy-reply-examples.ts';

/** Its paths take precedence over the `{id}` of a rule: these ids are reserved. */
@ApiTags('policies')
@Controller('v1/policies')
export class EvaluationsController {
  readonly #policies: Policies;
  readonly #past: PastPolicies;
  readonly #graph: Graph;

  constructor(
    @Inject(Policies) policies: Policies,
    @Inject(PastPolicies) past: PastPolicies,
    @Inject(Graph) graph: Graph,
  ) {
    this.#policies = policies;
    this.#past = past;
    this.#graph = graph;
  }

  @Post('evaluate')
  @Requires('policies')
  @ExactIntegers()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'evaluatePolicies',
    summary: 'Evaluates rules on one snapshot, in parallel; other params are a what-if',
  })
  @ApiBody({ type: EvaluationRequestDto, examples: EVALUATION_EXAMPLES })
  @ApiOkResponse({ type: EvaluationDto, example: EVALUATION_EXAMPLE })
  @ApiErrors(
    'INVALID_REQUEST',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'TOO_BUSY',
    'STORE_UNAVAILABLE',
    'NO_DISK_SPACE',
  )
  @ApiErrors('CONFLICT', 'BEYOND_HISTORY', 'QUERY_TOO_LARGE')
  async evaluate(@Body() { as_of: asOf, ...body }: EvaluationRequestDto): Promise<Evaluation> {
    const request = evaluationRequest(body);
    if (asOf === undefined || asOf === null) return this.#policies.evaluate(request);
    return this.#past.evaluate(request, this.#graph.history.momentOf(parseMoment(asOf, 'as_of')));
  }

  @Post('diff')
  @Requires('read')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'diffFindings',
    summary: 'Which findings of the rules opened, closed and changed between two moments',
  })
  @ApiBody({ type: FindingsDiffRequestDto, examples: FINDINGS_DIFF_EXAMPLES })
  @ApiOkResponse({ type: FindingsDiffDto })
  @ApiErrors(
    'INVALID_REQUEST',
    'CONFLICT',
    'BEYOND_HISTORY',
    'QUERY_TOO_LARGE',
    'TOO_BUSY',
    'STORE_UNAVAILABLE',
  )
  @ApiErrors('BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  async diff(@Body() body: FindingsDiffRequestDto): Promise<FindingsDiff> {
    const { span, request } = findingsDiffRequest(body);
    return this.#past.diff(request, await new DiffSpans(this.#graph).resolve(span, 'findings'));
  }

  @Get('posture')
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'getPosture',
    summary: 'Scores over the last run of each rule; what never ran is evaluated first',
  })
  @ApiOkResponse({ type: PostureDto, example: POSTURE_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  posture(@Query() { framework }: PostureQueryDto, @From() { scope }: Caller): Promise<Posture> {
    return this.#policies.within(scope).posture(framework);
  }

  @Get('posture/history')
  @Requires('read')
  @ApiOperation({
    operationId: 'getPostureHistory',
    summary: 'Scores over time, one point for each evaluation; the last 1,000 are kept',
  })
  @ApiOkResponse({ type: ScoreHistoryDto, example: SCORE_HISTORY_EXAMPLE })
  @ApiErrors('INVALID_REQUEST')
  scores(@Query() { framework, limit }: ScoreQueryDto): ScoreHistory & Freshness {
    return this.#policies.scoreHistory(framework, limit === undefined ? undefined : Number(limit));
  }

  @Get(':id/findings')
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'getFindings',
    summary: 'What a rule finds now, each with what proves it; leaves findings and posture as they are',
  })
  @ApiParam({ name: 'id', schema: { type: 'string', example: EXAMPLE_RULE_ID } })
  @ApiOkResponse({ type: RuleFindingsDto, example: FINDINGS_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'TOO_BUSY', 'STORE_UNAVAILABLE')
  findings(
    @Param('id') id: string,
    @Query() { limit }: FindingsQueryDto,
    @From() { scope }: Caller,
  ): Promise<RuleFindings> {
    const most = limit === undefined ? undefined : Number(limit);
    return this.#graph.documents.found(() => this.#policies.within(scope).findings(id, most));
  }

  @Get('evaluations')
  @Requires('read')
  @ApiOperation({ operationId: 'listEvaluations', summary: 'The last 100 evaluations, newest first' })
  @ApiOkResponse({ type: EvaluationListDto, example: EVALUATION_LIST_EXAMPLE })
  @ApiErrors('INVALID_REQUEST')
  evaluations(@Query() { limit }: HistoryQueryDto): {
    readonly count: number;
    readonly evaluations: readonly EvaluationSummary[];
  } {
    const all = this.#policies.history.list();
    return { count: all.length, evaluations: limit === undefined ? all : all.slice(0, Number(limit)) };
  }

  @Get('evaluations/:evaluation_id')
  @Requires('read')
  @ApiOperation({
    operationId: 'getEvaluation',
    summary: 'One evaluation: its results, and which findings were new and which resolved',
  })
  @ApiParam({ name: 'evaluation_id' })
  @ApiOkResponse({ type: PastEvaluationDto, example: PAST_EVALUATION_EXAMPLE })
  @ApiErrors('NOT_FOUND', 'STORE_UNAVAILABLE')
  evaluation(@Param('evaluation_id') id: string): Promise<PastEvaluation> {
    return this.#graph.documents.found(() => this.#policies.history.get(id));
  }
}
