import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { Graph } from '#graph/engine';
import { type Caller, From, Requires } from '#platform/auth';
import { inTurns } from '#platform/foundation';

class NamedCountDto {
  @ApiProperty() declare readonly name: string;
  @ApiProperty() declare readonly count: number;
}

class PropertySchemaDto extends NamedCountDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Entities by kind of value: boolean, number, string, and lists of each.',
    example: { string: 4 },
  })
  declare readonly kinds: object;
}

class TypeSchemaDto extends NamedCountDto {
  @ApiProperty({ type: [String] }) declare readonly classes: readonly string[];
  @ApiPropertyOptional({ type: [String], description: 'Labels of its entities, if they have any.' })
  declare readonly labels?: readonly string[];
  @ApiProperty({ type: [PropertySchemaDto] }) declare readonly properties: readonly PropertySchemaDto[];
}

class SchemaDto {
  @ApiProperty({ type: [NamedCountDto] }) declare readonly classes: readonly NamedCountDto[];
  @ApiProperty({ type: [TypeSchemaDto] }) declare readonly types: readonly TypeSchemaDto[];
  @ApiPropertyOptional({ type: [NamedCountDto], description: 'Labels with their counts, if there are any.' })
  declare readonly labels?: readonly NamedCountDto[];
  @ApiProperty({ type: [NamedCountDto] }) declare readonly verbs: readonly NamedCountDto[];
}

@ApiTags('service')
@Controller('v1/schema')
export class SchemaController {
  readonly #graph: Graph;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Get()
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'getSchema',
    summary: 'Classes, types, labels, verbs and properties of the live data, with counts',
  })
  @ApiOkResponse({ type: SchemaDto })
  async schema(@From() { scope }: Caller): Promise<ReturnType<Graph['schema']>> {
    return scope === undefined ? this.#graph.schema() : inTurns(this.#graph.schemaWithin(scope));
  }
}
