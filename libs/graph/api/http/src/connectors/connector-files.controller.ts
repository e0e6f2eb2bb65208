import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Res,
} from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type ConnectorFile, ConnectorFiles, type Precondition } from '#graph/connector';
import { Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { ApiErrors } from '#platform/http';
import {
  CheckConnectorDto,
  ConnectorCheckDto,
  ConnectorFileDto,
  ConnectorFileListDto,
  ConnectorTextBodyDto,
  ConnectorTextDto,
} from './connector-file.dto.ts';

const NAME = { name: 'name', description: 'Name of a file in the directory.', example: 'demo.yaml' } as const;
const TEXT = 'connector: synthetic\nconfig:\n  hosts: 100\n';
const FILE = { name: 'demo.yaml', connector_id: 'demo', state: 'current', fault: null };
const LIST = { editable: true, fault: null, count: 1, files: [FILE] };
const ETAG = '"2c9ef2a0b1c1b1d4e9f3a7c60f7d5f4e"';
const IF_MATCH = {
  name: 'If-Match',
  description: 'ETag of the text that is replaced: 412 if the file has been changed since.',
  example: ETAG,
} as const;

/** The connector files of this node. Over a shared store each node has its own. */
@ApiTags('connectors')
@Controller('v1/connector-files')
export class ConnectorFilesController {
  readonly #files: ConnectorFiles;

  constructor(@Inject(ConnectorFiles) files: ConnectorFiles) {
    this.#files = files;
  }

  @Get()
  @Requires('admin')
  @ApiOperation({
    operationId: 'listConnectorFiles',
    summary: 'The connector files of this node as they were read last',
  })
  @ApiOkResponse({ type: ConnectorFileListDto, example: LIST })
  list(): ConnectorFileListDto {
    return this.#listOf(this.#files.list());
  }

  @Post('reload')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'reloadConnectorFiles',
    summary: 'Reads the connector files of this node again, as SIGHUP does; a faulty one changes nothing',
  })
  @ApiOkResponse({ type: ConnectorFileListDto, example: LIST })
  @ApiErrors('NOT_SUPPORTED', 'TOO_BUSY', 'STORE_UNAVAILABLE')
  async reload(): Promise<ConnectorFileListDto> {
    return this.#listOf(await this.#files.reload());
  }

  @Post('check')
  @Requires('admin')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'checkConnectorFile',
    summary:
      'All faults of a text that is meant for a connector file, with their positions; nothing is written',
  })
  @ApiBody({ type: CheckConnectorDto, examples: { file: { value: { name: 'demo.yaml', text: TEXT } } } })
  @ApiOkResponse({ type: ConnectorCheckDto, example: { faults: [], warnings: [] } })
  @ApiErrors('INVALID_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'NOT_SUPPORTED')
  async check(@Body() { name, text }: CheckConnectorDto): Promise<ConnectorCheckDto> {
    const { faults, warnings } = await this.#files.check(name, text);
    return { faults: [...faults], warnings: [...warnings] };
  }

  @Get(':name')
  @Requires('admin')
  @ApiOperation({
    operationId: 'getConnectorFile',
    summary: 'The text of a connector file; 409 for one that holds a secret, or is a link',
  })
  @ApiParam(NAME)
  @ApiOkResponse({ type: ConnectorTextDto, example: { name: 'demo.yaml', text: TEXT, etag: ETAG } })
  @ApiErrors(
    'INVALID_REQUEST',
    'NOT_FOUND',
    'CONFLICT',
    'BODY_TOO_LARGE',
    'NOT_SUPPORTED',
    'STORE_UNAVAILABLE',
  )
  async get(
    @Param('name') name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConnectorTextDto> {
    const found = await this.#files.read(name);
    void reply.header('ETag', found.etag).header('Cache-Control', 'no-store');
    return found;
  }

  @Put(':name')
  @Requires('admin')
  @ApiOperation({
    operationId: 'putConnectorFile',
    summary: 'Writes a connector file and reads all files again; needs --connectors-editable',
  })
  @ApiParam(NAME)
  @ApiHeader(IF_MATCH)
  @ApiHeader({
    name: 'If-None-Match',
    description: '`*` in place of If-Match: the file is a new one.',
    example: '*',
  })
  @ApiBody({ type: ConnectorTextBodyDto, examples: { file: { value: { text: TEXT } } } })
  @ApiOkResponse({ type: ConnectorFileDto, example: FILE })
  @ApiErrors('INVALID_REQUEST', 'CONFLICT', 'PRECONDITION_FAILED', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('NOT_SUPPORTED', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  put(
    @Param('name') name: string,
    @Body() { text }: ConnectorTextBodyDto,
    @Headers('if-match') etag?: string,
    @Headers('if-none-match') none?: string,
  ): Promise<ConnectorFile> {
    return this.#files.write(name, text, preconditionOf(etag, none));
  }

  @Delete(':name')
  @Requires('admin')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteConnectorFile',
    summary: 'Removes a connector file; its connector goes, and what it has synced stays',
  })
  @ApiParam(NAME)
  @ApiHeader({ ...IF_MATCH, required: true })
  @ApiNoContentResponse()
  @ApiErrors('INVALID_REQUEST', 'CONFLICT', 'PRECONDITION_FAILED', 'NOT_SUPPORTED', 'TOO_BUSY')
  @ApiErrors('STORE_UNAVAILABLE')
  delete(@Param('name') name: string, @Headers('if-match') etag?: string): Promise<void> {
    return this.#files.remove(name, matched(etag));
  }

  #listOf(files: readonly ConnectorFile[]): ConnectorFileListDto {
    const { isEditable: editable, fault = null } = this.#files;
    return { editable, fault, count: files.length, files: [...files] };
  }
}

function preconditionOf(etag: string | undefined, none: string | undefined): Precondition {
  if (none === undefined) return { etag: matched(etag) };
  if (none === '*' && etag === undefined) return 'absent';
  throw expected('If-None-Match: expected *, without If-Match');
}

function matched(etag: string | undefined): string {
  if (etag !== undefined && /^"[0-9a-f]{32}"$/.test(etag)) return etag;
  throw expected('If-Match: expected the ETag of the text that is replaced; for a new file If-None-Match: *');
}

function expected(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message, { details: { field: 'If-Match' } });
}
