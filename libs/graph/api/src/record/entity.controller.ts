import { Controller, Delete, Get, HttpCode, Inject, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Graph, type Neighbors, type WithSources } from '#graph/engine';
import type { Entity } from '#graph/model';
import { ApiErrors } from '#platform/http';
import { EXAMPLE_ENTITY_ID } from '../docs/example-ids.ts';
import { neighborOptions, NeighborQueryDto } from './neighbor-query.dto.ts';
import { RecordQueryDto } from './record-query.dto.ts';
import { EntityWithSourcesDto, NeighborsDto } from './record.dto.ts';

const ID = { name: 'id', description: '32 hex digits', example: EXAMPLE_ENTITY_ID };

@ApiTags('records')
@Controller('v1/entities')
export class EntityController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getEntity', summary: 'One entity' })
  @ApiParam(ID)
  @ApiOkResponse({ type: EntityWithSourcesDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND')
  entity(@Param('id') id: string, @Query() { sources }: RecordQueryDto): Entity | (Entity & WithSources) {
    return sources === 'true' ? this.#graph.entityWithSources(id) : this.#graph.entity(id);
  }

  @Get(':id/neighbors')
  @ApiOperation({
    operationId: 'getNeighbors',
    summary: 'The relationships of an entity, with what stands at their other ends',
  })
  @ApiParam(ID)
  @ApiOkResponse({ type: NeighborsDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND')
  neighbors(@Param('id') id: string, @Query() query: NeighborQueryDto): Neighbors {
    return this.#graph.neighbors(id, neighborOptions(query));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteEntity',
    summary: 'Deletes an entity, whoever owns it, and its relationships',
  })
  @ApiParam(ID)
  @ApiNoContentResponse()
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'STORE_UNAVAILABLE')
  delete(@Param('id') id: string): Promise<void> {
    return this.#graph.deleteEntity(id);
  }
}
