import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import type { DanglingPolicy, SyncOptions } from '#graph/engine';
import type { ParseOptions } from '#graph/model';
import { ApiChoice } from '#platform/http';

const SWITCH = ['true', 'false'];

/** Query string of ingest requests. */
export class WriteQueryDto {
  @ApiChoice(SWITCH, { description: 'Whether a nested property becomes `a.b` instead of an error.' })
  @IsOptional()
  @IsIn(SWITCH, { message: 'flatten: expected true or false' })
  declare flatten?: string;

  @ApiChoice(['string'], {
    description:
      'Makes text of an integer beyond ±(2^53 − 1), and of every item of a list with one; default: an integer that is shown as text.',
  })
  @IsOptional()
  @IsIn(['string'], { message: 'large_integers: expected string' })
  declare large_integers?: 'string';

  @ApiChoice(['refuse', 'skip', 'stub'], {
    default: 'refuse',
    description: 'A relationship whose end does not exist: refuse all, leave it out, or make a bare end.',
  })
  @IsOptional()
  @IsIn(['refuse', 'skip', 'stub'], { message: 'on_dangling: expected refuse, skip or stub' })
  declare on_dangling?: DanglingPolicy;
}

export class SyncQueryDto extends WriteQueryDto {
  @ApiChoice(SWITCH, { description: 'Whether to count the changes without making them.' })
  @IsOptional()
  @IsIn(SWITCH, { message: 'dry_run: expected true or false' })
  declare dry_run?: string;
}

export class BulkQueryDto extends WriteQueryDto {
  @ApiPropertyOptional({ default: 'api', description: 'Connector that owns the written records.' })
  @IsOptional()
  @IsString({ message: 'connector_id: expected one text' })
  declare connector_id?: string;
}

export function parseOptions({ flatten, large_integers: largeIntegers }: WriteQueryDto): ParseOptions {
  return { flatten: flatten === 'true', largeIntegers };
}

export function syncOptions({ dry_run, on_dangling }: SyncQueryDto): SyncOptions {
  return { dryRun: dry_run === 'true', onDangling: on_dangling };
}
