import { Body, Controller, Delete, Get, Inject, Param, Put, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { Graph } from '#graph/engine';
import { findingsCsv, findingsSarif, type ListedFinding, Policies } from '#graph/policy';
import { type Caller, From, Requires } from '#platform/auth';
import { Clock } from '#platform/foundation';
import { ApiErrors } from '#platform/http';
import {
  ASSIGNMENT_EXAMPLE,
  CSV_EXAMPLE,
  DECISION_EXAMPLE,
  EXAMPLE_FINDING_ID,
  FINDING_EXAMPLE,
  FINDING_LIST_EXAMPLE,
  SARIF_EXAMPLE,
} from './finding-examples.ts';
import { FindingListQueryDto, findingFilter, findingOrder } from './finding-query.dto.ts';
import { AssignmentDto, DecisionDto, FindingListDto, ListedFindingDto } from './finding.dto.ts';

const ID = { name: 'id', schema: { type: 'string', example: EXAMPLE_FINDING_ID } } as const;
const CSV = 'text/csv';
const SARIF = 'application/sarif+json';
const LIMIT_DEFAULT = '100';

/** The findings of all rules, and what people decide about them. */
@ApiTags('findings')
@Controller('v1/findings')
export class FindingsController {
  readonly #policies: Policies;
  readonly #graph: Graph;
  readonly #clock: Clock;

  constructor(
    @Inject(Policies) policies: Policies,
    @Inject(Graph) graph: Graph,
    @Inject(Clock) clock: Clock,
  ) {
    this.#policies = policies;
    this.#graph = graph;
    this.#clock = clock;
  }

  @Get()
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'listFindings',
    summary: 'Findings of the last run of every rule; format=csv and format=sarif export the filtered list',
  })
  @ApiExtraModels(FindingListDto)
  @ApiOkResponse({
    description: 'A page of the findings, or a file of them.',
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(FindingListDto) },
        example: FINDING_LIST_EXAMPLE,
      },
      [CSV]: { schema: { type: 'string' }, example: CSV_EXAMPLE },
      [SARIF]: { schema: { type: 'object', additionalProperties: true }, example: SARIF_EXAMPLE },
    },
  })
  @ApiErrors('INVALID_REQUEST', 'TOO_BUSY')
  async list(
    @Query() query: FindingListQueryDto,
    @From() { scope }: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const filter = findingFilter(query, this.#clock.nowMs(), scope);
    const order = findingOrder(query);
    const found = await this.#policies.within(scope).register.found();
    const { format = 'json', offset = '0', limit = LIMIT_DEFAULT } = query;
    if (format === 'json') {
      reply.send(found.page(filter, order, { offset: Number(offset), limit: Number(limit) }));
      return;
    }
    const chosen = found.chosen(filter, order);
    reply.header('Content-Disposition', `attachment; filename="findings.${format}"`);
    if (format === 'sarif') reply.type(SARIF).send(findingsSarif(chosen));
    else reply.type(`${CSV}; charset=utf-8`).send(Readable.from(findingsCsv(chosen), { objectMode: false }));
  }

  @Get(':id')
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'getFinding', summary: 'One finding of the last run of its rule' })
  @ApiParam(ID)
  @ApiOkResponse({ type: ListedFindingDto, example: FINDING_EXAMPLE })
  @ApiErrors('NOT_FOUND', 'TOO_BUSY', 'STORE_UNAVAILABLE')
  get(@Param('id') id: string, @From() { scope }: Caller): Promise<ListedFinding> {
    return this.#graph.documents.found(() => this.#policies.within(scope).register.get(id));
  }

  @Put(':id/decision')
  @Requires('policies')
  @ApiOperation({
    operationId: 'decideFinding',
    summary: 'Waives or accepts a finding until a time: it counts neither as a violation nor as passed',
  })
  @ApiParam(ID)
  @ApiBody({ type: DecisionDto, examples: { decision: { value: DECISION_EXAMPLE } } })
  @ApiOkResponse({ type: ListedFindingDto, example: FINDING_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  decide(
    @Param('id') id: string,
    @Body() { state, reason, until }: DecisionDto,
    @From() { name }: Caller,
  ): Promise<ListedFinding> {
    const decision = { state, reason, until };
    return this.#graph.documents.found(() => this.#policies.register.decide(id, decision, name));
  }

  @Delete(':id/decision')
  @Requires('policies')
  @ApiOperation({ operationId: 'reopenFinding', summary: 'Ends what is decided about a finding: it is open' })
  @ApiParam(ID)
  @ApiOkResponse({ type: ListedFindingDto, example: FINDING_EXAMPLE })
  @ApiErrors('NOT_FOUND', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  reopen(@Param('id') id: string): Promise<ListedFinding> {
    return this.#graph.documents.found(() => this.#policies.register.reopen(id));
  }

  @Put(':id/assignment')
  @Requires('policies')
  @ApiOperation({ operationId: 'assignFinding', summary: 'Notes who looks after a finding; null: nobody' })
  @ApiParam(ID)
  @ApiBody({ type: AssignmentDto, examples: { assignment: { value: ASSIGNMENT_EXAMPLE } } })
  @ApiOkResponse({ type: ListedFindingDto, example: FINDING_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  assign(
    @Param('id') id: string,
    @Body() { assignee }: AssignmentDto,
    @From() { name }: Caller,
  ): Promise<ListedFinding> {
    return this.#graph.documents.found(() => this.#policies.register.assign(id, assignee, name));
  }
}
