import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Forgotten, Graph, type Neighbors, type WithSources } from '#graph/engine';
import type { Entity } from '#graph/model';
import { type EntityFindings, Policies } from '#graph/policy';
import { DiffService, type EntityChangesReply } from '#graph/query';
import { type Caller, From, Requires } from '#platform/auth';
import { ApiErrors, hangUpOf } from '#platform/http';
import { EntityFindingsDto } from '../policies/findings.dto.ts';
import { ENTITY_FINDINGS_EXAMPLE } from '../policies/policy-reply-examples.ts';
import { EntityTimelineDto, EntityChangesQueryDto, entityChangesRequest } from './entity-changes.dto.ts';
import { neighborOptions, NeighborQueryDto, RecordQueryDto } from './record-query.dto.ts';
import {
  EntityWithSourcesDto,
  EXAMPLE_ENTITY_ID,
  FORGOTTEN_EXAMPLE,
  ForgottenDto,
  NeighborsDto,
} from './record.dto.ts';

const ID = { name: 'id', description: '32 hex digits', example: EXAMPLE_ENTITY_ID };

@ApiTags('records')
@Controller('v1/entities')
export class EntityController {
  readonly #graph: Graph;

  readonly #policies: Policies;
  readonly #diffs: DiffService;

  constructor(
    @Inject(Graph) graph: Graph,
    @Inject(Policies) policies: Policies,
    @Inject(DiffService) diffs: DiffService,
  ) {
    this.#graph = graph;
    this.#policies = policies;
    this.#diffs = diffs;
  }

  @Get(':id')
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'getEntity', summary: 'One entity' })
  @ApiParam(ID)
  @ApiOkResponse({ type: EntityWithSourcesDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND')
  entity(
    @Param('id') id: string,
    @Query() { sources }: RecordQueryDto,
    @From() { scope }: Caller,
  ): Entity | (Entity & WithSources) {
    return sources === 'true' ? this.#graph.entityWithSources(id, scope) : this.#graph.entity(id, scope);
  }

  @Get(':id/neighbors')
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'getNeighbors',
    summary: 'The relationships of an entity, with what stands at their other ends',
  })
  @ApiParam(ID)
  @ApiOkResponse({ type: NeighborsDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND')
  neighbors(@Param('id') id: string, @Query() query: NeighborQueryDto, @From() { scope }: Caller): Neighbors {
    return this.#graph.neighbors(id, { ...neighborOptions(query), scope });
  }

  @Get(':id/findings')
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'getEntityFindings',
    summary: 'What rules found of an entity when each was last evaluated',
  })
  @ApiParam(ID)
  @ApiOkResponse({ type: EntityFindingsDto, example: ENTITY_FINDINGS_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND')
  async findings(@Param('id') id: string, @From() { scope }: Caller): Promise<EntityFindings> {
    this.#graph.entity(id, scope);
    return this.#policies.within(scope).register.ofEntity(this.#findingIds(id));
  }

  @Get(':id/changes')
  @Requires('read')
  @ApiOperation({
    operationId: 'getEntityChanges',
    summary: 'The changes of an entity within the history, the latest first',
  })
  @ApiParam(ID)
  @ApiOkResponse({ type: EntityTimelineDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT', 'BEYOND_HISTORY', 'TOO_BUSY', 'QUERY_TIMEOUT')
  changes(
    @Param('id') id: string,
    @Query() query: EntityChangesQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EntityChangesReply> {
    return this.#diffs.ofEntity(entityChangesRequest(id, query), hangUpOf(reply));
  }

  #findingIds(id: string): ReadonlyMap<string, string> {
    const snapshot = this.#graph.snapshot();
    try {
      const node = snapshot.nodeById(id);
      return this.#policies.findingIds((field) => snapshot.nodeField(node, field));
    } finally {
      snapshot.release();
    }
  }

  @Delete(':id')
  @Requires('write')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteEntity',
    summary: 'Deletes an entity, regardless of its owner, and its relationships',
  })
  @ApiParam(ID)
  @ApiNoContentResponse()
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  delete(@Param('id') id: string): Promise<void> {
    return this.#graph.deleteEntity(id);
  }

  @Post(':id/forget')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'forgetEntity',
    summary: 'Removes an entity, its relationships and their history from all files of the store',
    description:
      'With them go findings, messages, stored replies and open sessions about it. Answered when nothing is ' +
      'left but what the reply names: in a shared store, in the database and the files of this node; the ' +
      'other nodes follow. A repeated call names the files that are left then. See docs/history.md.',
  })
  @ApiParam(ID)
  @ApiOkResponse({ type: ForgottenDto, example: FORGOTTEN_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'STORE_CORRUPT', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  forget(@Param('id') id: string): Promise<Forgotten> {
    return this.#graph.forgetting.forget(id);
  }
}
