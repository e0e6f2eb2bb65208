import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';

const FILE_STATES = ['current', 'stale', 'faulty'];

export class ConnectorFaultDto {
  @ApiProperty({ type: Number, nullable: true, description: 'From 1; null if it concerns the whole file.' })
  declare line: number | null;
  @ApiProperty({ type: Number, nullable: true }) declare column: number | null;
  @ApiProperty({ example: 'config.url: missing, expected a text' }) declare message: string;
}

export class ConnectorFileDto {
  @ApiProperty({ example: 'corp-ldap.yaml' }) declare name: string;
  @ApiProperty({ type: String, nullable: true, description: 'The connector in use that it configures.' })
  declare connector_id: string | null;
  @ApiProperty({
    enum: FILE_STATES,
    description:
      'stale: the file has become faulty, and its settings of before are in use; faulty: nothing of it is in use.',
  })
  declare state: string;
  @ApiProperty({ type: ConnectorFaultDto, nullable: true }) declare fault: ConnectorFaultDto | null;
}

export class ConnectorFileListDto {
  @ApiProperty({ description: 'Whether files can be changed over HTTP: --connectors-editable.' })
  declare editable: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the directory could not be read last; then all connectors are as they were before.',
  })
  declare fault: string | null;
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [ConnectorFileDto], description: 'Files of this node.' })
  declare files: ConnectorFileDto[];
}

export class ConnectorTextDto {
  @ApiProperty({ example: 'corp-ldap.yaml' }) declare name: string;
  @ApiProperty({ description: 'YAML.' }) declare text: string;
  @ApiProperty({ description: 'For If-Match; also the header ETag.' }) declare etag: string;
}

export class ConnectorTextBodyDto {
  @ApiProperty({ description: 'YAML, at most 256 KiB.', example: 'connector: synthetic\n' })
  @IsString({ message: 'text: expected a string' })
  declare text: string;
}

export class CheckConnectorDto extends ConnectorTextBodyDto {
  @ApiProperty({ description: 'Name of the file that it is meant for.', example: 'demo.yaml' })
  @IsString({ message: 'name: expected a string' })
  declare name: string;
}

export class ConnectorCheckDto {
  @ApiProperty({ type: [ConnectorFaultDto], description: 'Empty for a valid file.' })
  declare faults: ConnectorFaultDto[];
  @ApiProperty({
    type: [ConnectorFaultDto],
    description: 'Why the connector could not run at present, such as a variable that is not set.',
  })
  declare warnings: ConnectorFaultDto[];
}

export class ConnectorKeyDto {
  @ApiProperty({ example: 'url', description: 'Nested keys are joined by dots.' }) declare key: string;
  @ApiProperty({ example: 'a text' }) declare expects: string;
  @ApiProperty({ type: String, nullable: true, description: 'The default, as JSON.' })
  declare fallback: string | null;
  @ApiProperty() declare is_required: boolean;
  @ApiProperty() declare about: string;
}

class ConnectorTypeDto {
  @ApiProperty({ example: 'ldap' }) declare name: string;
  @ApiProperty() declare about: string;
  @ApiProperty({ type: [ConnectorKeyDto], description: 'Keys of `config`.' })
  declare config: ConnectorKeyDto[];
}

export class ConnectorTypeListDto {
  @ApiProperty({ type: [ConnectorKeyDto], description: 'Keys of every connector file.' })
  declare keys: ConnectorKeyDto[];
  @ApiProperty() declare count: number;
  @ApiProperty({ type: [ConnectorTypeDto] }) declare types: ConnectorTypeDto[];
}
