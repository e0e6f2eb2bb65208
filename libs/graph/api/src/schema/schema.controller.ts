import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Graph } from '#graph/engine';
import { SchemaDto } from './schema.dto.ts';

@ApiTags('service')
@Controller('v1/schema')
export class SchemaController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Get()
  @ApiOperation({
    operationId: 'getSchema',
    summary: 'Classes, types, verbs and properties of the live data, with counts',
  })
  @ApiOkResponse({ type: SchemaDto })
  schema(): ReturnType<Graph['schema']> {
    return this.#graph.schema();
  }
}
