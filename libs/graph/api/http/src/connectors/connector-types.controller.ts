import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type ConnectorTypeFields, connectorTypeFields, firstPartyConnectors } from '#graph/connector';
import { Requires } from '#platform/auth';
import { Disk } from '#platform/disk';
import { type ConnectorKeyDto, ConnectorTypeListDto } from './connector-file.dto.ts';

@ApiTags('connectors')
@Controller('v1/connector-types')
export class ConnectorTypesController {
  readonly #reply: ConnectorTypeListDto;

  constructor(@Inject(Disk) disk: Disk) {
    const { keys, types } = connectorTypeFields(firstPartyConnectors(disk));
    this.#reply = {
      keys: keys.map(keyOf),
      count: types.length,
      types: types.map(({ name, about, config }) => ({ name, about, config: config.map(keyOf) })),
    };
  }

  @Get()
  @Requires('read', { keepsScope: true })
  @ApiOperation({
    operationId: 'listConnectorTypes',
    summary: 'The connectors of the product, and the keys of their files',
  })
  @ApiOkResponse({ type: ConnectorTypeListDto })
  list(): ConnectorTypeListDto {
    return this.#reply;
  }
}

function keyOf({
  key,
  expects,
  fallback,
  isRequired,
  about,
}: ConnectorTypeFields['config'][number]): ConnectorKeyDto {
  return { key, expects, fallback: fallback ?? null, is_required: isRequired, about };
}
