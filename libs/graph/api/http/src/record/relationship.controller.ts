import { Controller, Delete, Get, HttpCode, Inject, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Graph, type WithSources } from '#graph/engine';
import type { Relationship } from '#graph/model';
import { type Caller, From, Requires } from '#platform/auth';
import { ApiErrors } from '#platform/http';
import { RecordQueryDto } from './record-query.dto.ts';
import { EXAMPLE_RELATIONSHIP_ID, RelationshipWithSourcesDto } from './record.dto.ts';

const ID = { name: 'id', description: '32 hex digits', example: EXAMPLE_RELATIONSHIP_ID };

@ApiTags('records')
@Controller('v1/relationships')
export class RelationshipController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Get(':id')
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'getRelationship', summary: 'One relationship' })
  @ApiParam(ID)
  @ApiOkResponse({ type: RelationshipWithSourcesDto })
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND')
  relationship(
    @Param('id') id: string,
    @Query() { sources }: RecordQueryDto,
    @From() { scope }: Caller,
  ): Relationship | (Relationship & WithSources) {
    return sources === 'true'
      ? this.#graph.relationshipWithSources(id, scope)
      : this.#graph.relationship(id, scope);
  }

  @Delete(':id')
  @Requires('write')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteRelationship',
    summary: 'Deletes a relationship, regardless of its owner',
  })
  @ApiParam(ID)
  @ApiNoContentResponse()
  @ApiErrors('INVALID_REQUEST', 'NOT_FOUND', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  delete(@Param('id') id: string): Promise<void> {
    return this.#graph.deleteRelationship(id);
  }
}
