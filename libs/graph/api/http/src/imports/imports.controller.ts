import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { FileImports, type ImportReply, type ImportSource, UploadedFile } from '#graph/connector';
import { Graph } from '#graph/engine';
import { Requires } from '#platform/auth';
import { ApiErrors, LargeBodyRemedy } from '#platform/http';
import { IMPORT_EXAMPLE, IMPORT_REPLY_EXAMPLE, IMPORT_SOURCE_LIST_EXAMPLE } from './import-examples.ts';
import { ImportDto, ImportReplyDto, ImportSourceListDto } from './import.dto.ts';

@ApiTags('imports')
@Controller('v1/imports')
export class ImportsController {
  readonly #imports: FileImports;
  readonly #graph: Graph;

  constructor(@Inject(FileImports) imports: FileImports, @Inject(Graph) graph: Graph) {
    this.#imports = imports;
    this.#graph = graph;
  }

  @Post()
  @LargeBodyRemedy('PLEXUS_BODY_LIMIT of the server raises it; or a connector csv or json reads the file')
  @Requires('sources')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'importFile',
    summary: 'A file as the whole content of a source: recognized, mapped, compared; dry_run changes nothing',
  })
  @ApiBody({ type: ImportDto, examples: { hosts: { value: IMPORT_EXAMPLE } } })
  @ApiOkResponse({ type: ImportReplyDto, example: IMPORT_REPLY_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'CONFLICT', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  import(@Body() body: ImportDto): Promise<ImportReply> {
    const { content, file_name: fileName, source, config, dry_run: dryRun, force } = body;
    const disk = new UploadedFile(fileName ?? '', Buffer.from(content, 'utf8'));
    return this.#imports.run({ disk, path: disk.path, fileName, source, config, dryRun, force });
  }

  @Get()
  @Requires('read')
  @ApiOperation({
    operationId: 'listImports',
    summary: 'The sources whose files were imported, with the mapping of their next file',
  })
  @ApiOkResponse({ type: ImportSourceListDto, example: IMPORT_SOURCE_LIST_EXAMPLE })
  list(): { readonly count: number; readonly sources: readonly ImportSource[] } {
    const sources = this.#imports.list();
    return { count: sources.length, sources };
  }

  @Delete(':id')
  @Requires('sources')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteImport', summary: 'Removes such a source with all that it has stated' })
  @ApiParam({ name: 'id', schema: { type: 'string', example: 'hosts' } })
  @ApiNoContentResponse()
  @ApiErrors('NOT_FOUND', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async remove(@Param('id') id: string): Promise<void> {
    await this.#graph.documents.found(() => this.#imports.remove(id));
  }
}
