import { Controller, Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public, Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { type PageFile, PageFiles } from './page-files.ts';

/** Paths of a page, without leading and trailing slashes. */
export interface PagePaths {
  /** The page itself. */
  readonly at: string;
  /** The folder of its assets. */
  readonly assets: string;
}

/** Serves a page at its paths. The page and its assets contain no data, and may be public. */
export function pagesController({ at, assets }: PagePaths): Type {
  @ApiExcludeController()
  @Controller()
  class PagesController {
    readonly #files: PageFiles;

    constructor(@Inject(PageFiles) files: PageFiles) {
      this.#files = files;
    }

    @Get(at)
    @Requires('read', { keepsScope: true })
    @Public('docs')
    async shell(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      const file = await this.#files.shell();
      if (file === undefined)
        throw new DomainError('NOT_FOUND', 'the page has not been built: npm run build');
      send(file, request, reply);
    }

    @Get(`${assets}/:name`)
    @Requires('read', { keepsScope: true })
    @Public('docs')
    async asset(
      @Param('name') name: string,
      @Req() request: FastifyRequest,
      @Res() reply: FastifyReply,
    ): Promise<void> {
      const file = await this.#files.asset(name, request.headers['accept-encoding']);
      if (file === undefined) throw new DomainError('NOT_FOUND', 'no such path');
      send(file, request, reply);
    }
  }
  return PagesController;
}

/** Sends only the headers when the browser's cached file is current. */
function send({ bytes, headers }: PageFile, request: FastifyRequest, reply: FastifyReply): void {
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  void reply.headers(headers);
  if (known?.includes(headers['ETag'] ?? '') === true) void reply.code(304).send();
  else void reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
