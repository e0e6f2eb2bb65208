import { ApiProperty } from '@nestjs/swagger';

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
  @ApiProperty({ type: [PropertySchemaDto] }) declare readonly properties: readonly PropertySchemaDto[];
}

export class SchemaDto {
  @ApiProperty({ type: [NamedCountDto] }) declare readonly classes: readonly NamedCountDto[];
  @ApiProperty({ type: [TypeSchemaDto] }) declare readonly types: readonly TypeSchemaDto[];
  @ApiProperty({ type: [NamedCountDto] }) declare readonly verbs: readonly NamedCountDto[];
}
