import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { SEARCH_TEXT_MAX } from '#graph/search';
import { EXAMPLE_ENTITY_ID } from '../record/record.dto.ts';

export class SearchQueryDto {
  @ApiProperty({
    minLength: 1,
    maxLength: SEARCH_TEXT_MAX,
    description:
      'A part of a key, of a display name, or of the property `name`, in any case. One or two bytes are found at the start of names only.',
    example: 'web',
  })
  @MaxLength(SEARCH_TEXT_MAX, { message: `q: expected at most ${SEARCH_TEXT_MAX} characters` })
  @MinLength(1, { message: 'q: expected a text' })
  @IsString({ message: 'q: expected one text' })
  declare q: string;

  @ApiPropertyOptional({ description: 'A type, a class or a label. Default: every entity.', example: 'Host' })
  @IsOptional()
  @IsString({ message: 'type: expected one text' })
  declare type?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 500, default: 20 })
  @IsOptional()
  @Matches(/^(?:[1-9]\d?|[1-4]\d\d|500)$/, { message: 'limit: expected a whole number from 1 to 500' })
  declare limit?: string;

  @ApiPropertyOptional({
    description:
      'The names as they were: at a time (RFC 3339), or after a batch, by `snapshot_version` or `Plexus-Seq` of a reply.',
    example: '2026-11-20T08:00:00Z',
  })
  @IsOptional()
  @IsString({ message: 'as_of: expected one text' })
  declare as_of?: string;
}

class TypeCountDto {
  @ApiProperty() declare readonly type: string;
  @ApiProperty() declare readonly count: number;
}

class FoundNameDto {
  @ApiProperty({ example: EXAMPLE_ENTITY_ID }) declare readonly id: string;
  @ApiProperty() declare readonly type: string;
  @ApiProperty() declare readonly class: string;
  @ApiProperty() declare readonly key: string;
  @ApiProperty() declare readonly display_name: string;
  @ApiPropertyOptional({ description: 'The property `name`, where it is another text.' })
  declare readonly name?: string;
}

export class SearchReplyDto {
  @ApiProperty({ description: 'Entities with the text in a name; at least so many if not `complete`.' })
  declare readonly count: number;
  @ApiProperty({ description: 'False after 10,000 matches, when the search ends.' })
  declare readonly complete: boolean;
  @ApiProperty({ type: [TypeCountDto], description: 'Of the counted ones, the most first.' })
  declare readonly counts: readonly TypeCountDto[];
  @ApiProperty({
    type: [FoundNameDto],
    description:
      'The best first: equal names, those that begin with the text, those with a word that does, the others.',
  })
  declare readonly entities: readonly FoundNameDto[];
  @ApiProperty() declare readonly snapshot_version: number;
}
