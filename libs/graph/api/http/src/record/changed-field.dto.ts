import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { FieldValues } from '#graph/engine';
import type { PropertyValue } from '#graph/model';

export class ChangedFieldDto implements FieldValues {
  @ApiProperty({
    description: 'A property, or `class`, `display_name`, `_labels`; of a relationship `_verb`.',
    example: 'state',
  })
  declare readonly name: string;
  @ApiPropertyOptional({ description: 'Absent if it was not there.', example: 'running' })
  declare readonly old?: PropertyValue;
  @ApiPropertyOptional({ description: 'Absent if it is not there any more.', example: 'stopped' })
  declare readonly new?: PropertyValue;
}
