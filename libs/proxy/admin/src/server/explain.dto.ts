import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import type { Question } from '#proxy/engine';

const TEXT_LENGTH_MAX = 8_192;

export class ExplainDto implements Question {
  @IsString()
  @MinLength(1)
  @MaxLength(TEXT_LENGTH_MAX)
  declare host: string;

  @IsString()
  @MinLength(1)
  @MaxLength(TEXT_LENGTH_MAX)
  declare path: string;

  @IsOptional()
  @IsString()
  declare listener?: string;
}
