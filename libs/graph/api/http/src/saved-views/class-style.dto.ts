import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { CLASS_ICONS, type ClassStyle } from '#graph/query';

const COLOR = {
  type: String,
  description: '`#rrggbb`; default: one that the class has everywhere.',
} as const;
const ICON = { enum: CLASS_ICONS, description: 'Drawn in its entities; default: none.' } as const;
const CAPTION = {
  type: String,
  description: 'The property that is shown beside an entity; default: its display name.',
} as const;

/** A style to set; `graph/query` checks its fields. */
export class ClassStyleBodyDto {
  @ApiPropertyOptional({ type: String, description: 'The class in the path; may be omitted.' })
  @IsOptional()
  @IsString({ message: 'name: expected a text' })
  declare name?: string | null;

  @ApiPropertyOptional(COLOR)
  @IsOptional()
  @IsString({ message: 'color: expected a text' })
  declare color?: string | null;

  @ApiPropertyOptional(ICON)
  @IsOptional()
  @IsString({ message: 'icon: expected a text' })
  declare icon?: ClassStyle['icon'] | null;

  @ApiPropertyOptional(CAPTION)
  @IsOptional()
  @IsString({ message: 'caption: expected a text' })
  declare caption?: string | null;

  @ApiPropertyOptional({ type: String, description: 'Ignored, so that a style can be sent back.' })
  @IsOptional()
  @IsString({ message: 'updated_at: expected a text' })
  declare updated_at?: string | null;
}

export class ClassStyleDto {
  @ApiProperty({ description: 'The class.' }) declare name: string;
  @ApiPropertyOptional(COLOR) declare color?: string | undefined;
  @ApiPropertyOptional(ICON) declare icon?: ClassStyle['icon'];
  @ApiPropertyOptional(CAPTION) declare caption?: string | undefined;
  @ApiProperty({ format: 'date-time' }) declare updated_at: string;
}

export class ClassStyleListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [ClassStyleDto], description: 'In the order of their classes.' })
  declare styles: ClassStyleDto[];
}
