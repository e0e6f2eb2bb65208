import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsObject, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { IMPORT_CONNECTORS } from '#graph/connector';
import { RunDto } from '../connectors/connector.dto.ts';
import { IMPORT_CONFIG_EXAMPLE } from './import-examples.ts';

/** A file to import, as text. */
export class ImportDto {
  @ApiProperty({
    description:
      'The text of the file: CSV, JSON, NDJSON, CycloneDX, SPDX, STIX, a lock file, or a file of BloodHound, ' +
      'Kubernetes, Terraform, the AWS CLI, nmap or osquery.',
  })
  @IsString({ message: 'content: expected a text' })
  declare content: string;

  @ApiPropertyOptional({
    example: 'hosts.csv',
    description: 'Its name: the default of the source and the type.',
  })
  @IsOptional()
  @IsString({ message: 'file_name: expected a text' })
  @MinLength(1, { message: 'file_name: expected a text, got an empty one' })
  @MaxLength(1_024, { message: 'file_name: expected at most 1024 characters' })
  declare file_name?: string;

  @ApiPropertyOptional({
    example: 'hosts',
    description: 'The source whose whole content the file is; default: by the name of the file.',
  })
  @IsOptional()
  @IsString({ message: 'source: expected a text' })
  declare source?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: IMPORT_CONFIG_EXAMPLE,
    description:
      'Of a table: delimiter, columns, records, mapping, as in the connectors csv and json; default: those of the ' +
      'source, else a guess.',
  })
  @IsOptional()
  @IsObject({ message: 'config: expected an object' })
  declare config?: Record<string, unknown>;

  @ApiPropertyOptional({ default: false, description: 'Whether to count the changes without making them.' })
  @IsOptional()
  @IsBoolean({ message: 'dry_run: expected true or false' })
  declare dry_run?: boolean;

  @ApiPropertyOptional({
    default: false,
    description: 'Whether the sync may delete records however many they are.',
  })
  @IsOptional()
  @IsBoolean({ message: 'force: expected true or false' })
  declare force?: boolean;
}

export class ImportReplyDto {
  @ApiProperty() declare source: string;
  @ApiProperty({ description: 'Whether the source was imported before.' }) declare is_known: boolean;
  @ApiProperty({ enum: IMPORT_CONNECTORS, description: 'The connector that reads it.' })
  declare connector: string;
  @ApiProperty({ description: 'The format, recognized by the content.' }) declare format: string;
  @ApiProperty() declare dry_run: boolean;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'How a table was read.' })
  declare config: Record<string, unknown>;
  @ApiProperty({ type: [String], description: 'Of a table.' }) declare columns: string[];
  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string', nullable: true } },
    description: 'Values of the first rows, in the order of the columns.',
  })
  declare sample: (string | null)[][];
  @ApiProperty({ type: RunDto, description: 'What was read and changed, or would be.' }) declare run: RunDto;
}

class ImportSourceDto {
  @ApiProperty() declare id: string;
  @ApiProperty({ enum: IMPORT_CONNECTORS }) declare connector: string;
  @ApiProperty() declare format: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) declare config: Record<string, unknown>;
  @ApiProperty({ type: String, nullable: true, description: 'The name of the last file.' })
  declare file_name: string | null;
  @ApiProperty({ format: 'date-time' }) declare imported_at: string;
  @ApiProperty({
    enum: ['complete', 'partial', 'unknown'],
    description: 'Of the last import; unknown: from before it was kept.',
  })
  declare status: string;
}

export class ImportSourceListDto {
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [ImportSourceDto] }) declare sources: ImportSourceDto[];
}
