import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { NodeDisk } from '#platform/disk';
import { ApiErrors, endWhenStalled } from '#platform/http';
import { Hive } from '../../hive/hive.ts';
import { type RunFileEntry, RunFiles } from './run-files.ts';

class RunFileDto {
  @ApiProperty({ example: 'transactions-part-00001.parquet' }) declare name: string;
  @ApiProperty() declare bytes: number;
}

class RunFileListDto {
  @ApiProperty({ type: [RunFileDto] }) declare files: RunFileDto[];
}

const RUN_ID = { name: 'run_id', schema: { type: 'string', example: 'r-20261121-142000-k3v9ax' } } as const;
const EXAMPLE = { files: [{ name: 'transactions-part-00001.parquet', bytes: 214_033 }] };

@ApiTags('reports')
@Controller('runs/:run_id/files')
export class RunFilesController {
  readonly #hive: Hive;

  constructor(@Inject(Hive) hive: Hive) {
    this.#hive = hive;
  }

  @Get()
  @ApiOperation({ summary: 'The files of a run: Parquet, run.json, the scenario' })
  @ApiParam(RUN_ID)
  @ApiOkResponse({ type: RunFileListDto, example: EXAMPLE })
  @ApiErrors('NOT_FOUND')
  async list(@Param('run_id') runId: string): Promise<{ readonly files: readonly RunFileEntry[] }> {
    return { files: await this.#filesOf(runId).list() };
  }

  @Get(':name')
  @ApiOperation({ summary: 'One of them' })
  @ApiParam(RUN_ID)
  @ApiParam({ name: 'name', schema: { type: 'string', example: 'transactions-part-00001.parquet' } })
  @ApiOkResponse({
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiErrors('NOT_FOUND')
  async download(
    @Param('run_id') runId: string,
    @Param('name') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { bytes, stream } = await this.#filesOf(runId).open(name);
    endWhenStalled(reply);
    reply
      .type('application/octet-stream')
      .header('Content-Length', bytes)
      .header('Content-Disposition', `attachment; filename="${name}"`)
      .send(stream);
  }

  #filesOf(runId: string): RunFiles {
    const { run_id: known } = this.#hive.runs.get(runId);
    return new RunFiles(new NodeDisk(), this.#hive.runs.directoryOf(known));
  }
}
