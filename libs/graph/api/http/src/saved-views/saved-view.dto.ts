import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString } from 'class-validator';
import { RESULT_VIEWS, type SavedView } from '#graph/query';

const VALUES = { type: 'object', additionalProperties: true } as const;
const AS_OF = 'RFC 3339: the moment of the result. Default: now.';
const SINCE = 'RFC 3339: an earlier moment with which the result is compared.';
const DRAWN = 'The ids of the drawn relationships.';

export class PlacedNodeDto {
  @ApiProperty({ description: 'The id of an entity.' }) declare id: string;
  @ApiProperty() declare x: number;
  @ApiProperty() declare y: number;
  @ApiPropertyOptional({ default: false, description: 'Layouts do not move it.' })
  declare pinned?: boolean;
}

export class SavedCanvasDto {
  @ApiProperty({ type: [PlacedNodeDto], description: 'At most 5,000.' }) declare nodes: PlacedNodeDto[];
  @ApiPropertyOptional({ type: [String], default: [], description: DRAWN }) declare relationships?: string[];
  @ApiPropertyOptional({ type: [String], default: [], description: 'Classes that are not shown.' })
  declare hidden_classes?: string[];
}

/** A view to save; `graph/query` checks its text and fields. */
export class SavedViewBodyDto {
  @ApiPropertyOptional({ type: String, description: 'The name in the path; may be omitted.' })
  @IsOptional()
  @IsString({ message: 'name: expected a text' })
  declare name?: string | null;

  @ApiProperty({ description: 'PQL.' })
  @IsString({ message: 'text: expected a text' })
  declare text: string;

  @ApiPropertyOptional({ type: String, default: '' })
  @IsOptional()
  @IsString({ message: 'description: expected a text' })
  declare description?: string | null;

  @ApiPropertyOptional({ ...VALUES, description: 'The values of the parameters.' })
  @IsOptional()
  @IsObject({ message: 'parameters: expected an object' })
  declare parameters?: Record<string, unknown> | null;

  @ApiPropertyOptional({ enum: RESULT_VIEWS, default: 'table' })
  @IsOptional()
  declare view?: (typeof RESULT_VIEWS)[number];

  @ApiPropertyOptional({ type: SavedCanvasDto, description: 'What is drawn of a graph, and where.' })
  @IsOptional()
  @IsObject({ message: 'canvas: expected an object' })
  declare canvas?: SavedView['canvas'] | null;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: AS_OF })
  @IsOptional()
  @IsString({ message: 'as_of: expected a text' })
  declare as_of?: string | null;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: SINCE })
  @IsOptional()
  @IsString({ message: 'since: expected a text' })
  declare since?: string | null;

  @ApiPropertyOptional({
    type: String,
    description: 'Ignored, so that a view can be sent back as it was returned.',
  })
  @IsOptional()
  @IsString({ message: 'updated_at: expected a text' })
  declare updated_at?: string | null;
}

class KeptCanvasDto {
  @ApiProperty({ type: [PlacedNodeDto] }) declare nodes: PlacedNodeDto[];
  @ApiProperty({ type: [String], description: DRAWN }) declare relationships: string[];
  @ApiProperty({ type: [String] }) declare hidden_classes: string[];
}

class SavedViewHeadDto {
  @ApiProperty() declare name: string;
  @ApiProperty() declare description: string;
  @ApiProperty({ description: 'PQL.' }) declare text: string;
  @ApiProperty({ ...VALUES, description: 'The values of the parameters.' }) declare parameters: object;
  @ApiProperty({ enum: RESULT_VIEWS }) declare view: (typeof RESULT_VIEWS)[number];
  @ApiPropertyOptional({ format: 'date-time', description: AS_OF }) declare as_of?: string;
  @ApiPropertyOptional({ format: 'date-time', description: SINCE }) declare since?: string;
  @ApiProperty({ format: 'date-time' }) declare updated_at: string;
}

export class SavedViewDto extends SavedViewHeadDto {
  @ApiPropertyOptional({ type: KeptCanvasDto }) declare canvas?: KeptCanvasDto;
}

export class ListedViewDto extends SavedViewHeadDto {
  @ApiProperty({ description: 'Number of entities on its canvas.' }) declare node_count: number;
}

export class SavedViewListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [ListedViewDto], description: 'Saved views in the order of their names.' })
  declare views: ListedViewDto[];
}
