import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Requires } from '#platform/auth';
import { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { ApiErrors, endWhenStalled } from '#platform/http';
import { Hive } from '../../hive/hive.ts';

const CHUNK_BYTES = 262_144;
/** The public files of a run's directory; journals and drafts are internal. */
const PUBLIC = /^(?:[a-z]+-part-\d{5,}\.parquet|run\.json|scenario\.yaml)$/;

interface RunFileEntry {
  readonly name: string;
  readonly bytes: number;
}

/** The files of a run, for download. */
class RunFiles {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  async list(): Promise<readonly RunFileEntry[]> {
    const names = (await this.#disk.list(this.#directory)).filter((name) => PUBLIC.test(name));
    return Promise.all(names.map(async (name) => ({ name, bytes: await this.#sizeOf(name) })));
  }

  /** Throws NOT_FOUND for a name that {@link list} does not return. */
  async open(name: string): Promise<{ readonly bytes: number; readonly stream: Readable }> {
    const entry = (await this.list()).find((one) => one.name === name);
    if (entry === undefined) throw new DomainError('NOT_FOUND', 'the run has no file of this name');
    return { bytes: entry.bytes, stream: Readable.from(this.#chunks(entry), { objectMode: false }) };
  }

  async *#chunks({ name, bytes }: RunFileEntry): AsyncGenerator<Uint8Array> {
    const file = await this.#disk.open(join(this.#directory, name), 'read');
    try {
      for (let at = 0; at < bytes; at += CHUNK_BYTES) {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, bytes - at));
        yield chunk.subarray(0, await file.read(chunk, at));
      }
    } finally {
      await file.close();
    }
  }

  async #sizeOf(name: string): Promise<number> {
    const file = await this.#disk.open(join(this.#directory, name), 'read');
    try {
      return await file.size();
    } finally {
      await file.close();
    }
  }
}

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
  readonly #disk: Disk;

  constructor(@Inject(Hive) hive: Hive, @Inject(Disk) disk: Disk) {
    this.#hive = hive;
    this.#disk = disk;
  }

  @Get()
  @Requires('read')
  @ApiOperation({ summary: 'The files of a run: Parquet, run.json, the scenario' })
  @ApiParam(RUN_ID)
  @ApiOkResponse({ type: RunFileListDto, example: EXAMPLE })
  @ApiErrors('NOT_FOUND')
  async listRunFiles(@Param('run_id') runId: string): Promise<{ readonly files: readonly RunFileEntry[] }> {
    return { files: await this.#filesOf(runId).list() };
  }

  @Get(':name')
  @Requires('read')
  @ApiOperation({ summary: 'Downloads a file of a run' })
  @ApiParam(RUN_ID)
  @ApiParam({ name: 'name', schema: { type: 'string', example: 'transactions-part-00001.parquet' } })
  @ApiOkResponse({
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiErrors('NOT_FOUND')
  async downloadRunFile(
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
    return new RunFiles(this.#disk, this.#hive.runs.directoryOf(known));
  }
}
