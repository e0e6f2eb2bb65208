import { IsIn, IsOptional } from 'class-validator';
import { ApiChoice } from '#platform/http';

const SWITCH = ['true', 'false'];

export class RecordQueryDto {
  @ApiChoice(SWITCH, { description: 'Lists which source states what of the record, and since when.' })
  @IsOptional()
  @IsIn(SWITCH, { message: 'sources: expected true or false' })
  declare sources?: string;
}
