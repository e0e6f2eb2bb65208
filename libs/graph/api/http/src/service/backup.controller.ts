import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { Graph } from '#graph/engine';
import { Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { ApiErrors, endWhenStalled } from '#platform/http';

const TYPE = 'application/octet-stream';
/** Each backup delays the removal of obsolete files. */
const BACKUPS_MAX = 2;

@ApiTags('service')
@Controller('v1/backup')
export class BackupController {
  readonly #graph: Graph;
  #running = 0;

  constructor(@Inject(Graph) graph: Graph) {
    this.#graph = graph;
  }

  @Get()
  @Requires('admin')
  @ApiOperation({
    summary: 'One consistent copy of the running store as a stream, for plexus restore',
    description:
      'Of the last durable write before the request; writes go on meanwhile. A stream without its end is no ' +
      'backup, and plexus restore refuses it. The format is docs/formats/backup.md.',
  })
  @ApiProduces(TYPE)
  @ApiOkResponse({
    description: 'The backup',
    content: { [TYPE]: { schema: { type: 'string', format: 'binary' }, example: 'PLEXBAK…' } },
  })
  @ApiErrors('TOO_BUSY')
  backup(@Res() reply: FastifyReply): void {
    if (this.#running >= BACKUPS_MAX) {
      throw new DomainError('TOO_BUSY', `expected at most ${String(BACKUPS_MAX)} backups at a time`);
    }
    this.#running++;
    const stream = Readable.from(this.#graph.backupStream(), { objectMode: false });
    stream.once('close', () => this.#running--);
    endWhenStalled(reply);
    const name = `plexus-${String(this.#graph.durableVersion)}.backup`;
    reply.header('Content-Disposition', `attachment; filename="${name}"`).type(TYPE).send(stream);
  }
}
