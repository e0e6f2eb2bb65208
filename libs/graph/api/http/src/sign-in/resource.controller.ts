import { Controller, Get, Inject, Injectable, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '#platform/auth';
import { originOf, RESOURCE_PATH } from './carry-sign-on.ts';

/** Who issues the tokens of this service. */
@Injectable()
export class TokenIssuer {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }
}

/** The metadata of a protected resource, by the authorization specification of MCP (RFC 9728). */
@ApiExcludeController()
@Controller()
export class ResourceController {
  readonly #issuer: TokenIssuer;

  constructor(@Inject(TokenIssuer) issuer: TokenIssuer) {
    this.#issuer = issuer;
  }

  @Get(RESOURCE_PATH)
  @Public()
  whole(@Req() request: FastifyRequest): object {
    return this.#metadata(originOf(request));
  }

  @Get(`${RESOURCE_PATH}/mcp`)
  @Public()
  mcp(@Req() request: FastifyRequest): object {
    return this.#metadata(`${originOf(request)}/mcp`);
  }

  #metadata(resource: string): object {
    return { resource, authorization_servers: [this.#issuer.url], bearer_methods_supported: ['header'] };
  }
}
