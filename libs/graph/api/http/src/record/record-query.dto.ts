import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import type { NeighborOptions } from '#graph/engine';
import { ApiChoice } from '#platform/http';

const SWITCH = ['true', 'false'];

export class RecordQueryDto {
  @ApiChoice(SWITCH, { description: 'Lists which source states what of the record, and since when.' })
  @IsOptional()
  @IsIn(SWITCH, { message: 'sources: expected true or false' })
  declare sources?: string;
}

export class NeighborQueryDto {
  @ApiPropertyOptional({
    description: 'A verb in any case of letters. Default: every verb.',
    example: 'RUNS',
  })
  @IsOptional()
  @IsString({ message: 'verb: expected one text' })
  declare verb?: string;

  @ApiChoice(['in', 'out', 'any'], { default: 'any' })
  @IsOptional()
  @IsIn(['in', 'out', 'any'], { message: 'direction: expected in, out or any' })
  declare direction?: 'in' | 'out' | 'any';

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 10_000, default: 1_000 })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,3}|10000)$/, { message: 'limit: expected a whole number from 1 to 10000' })
  declare limit?: string;
}

export function neighborOptions({ verb, direction, limit }: NeighborQueryDto): NeighborOptions {
  return { verb, direction, limit: limit === undefined ? undefined : Number(limit) };
}
