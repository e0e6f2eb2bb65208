import { Controller, Get, Inject, Injectable, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public, type PublicAddress, type SingleSignOn } from '#platform/auth';
import { RESOURCE_PATH } from './carry-sign-on.ts';

/** Who issues the tokens of this service. */
@Injectable()
export class TokenIssuer {
  readonly url: string;
  readonly address: PublicAddress;

  constructor({ issuer, address }: Pick<SingleSignOn, 'issuer' | 'address'>) {
    this.url = issuer;
    this.address = address;
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
    return this.#metadata(this.#issuer.address.originOf(request));
  }

  @Get(`${RESOURCE_PATH}/mcp`)
  @Public()
  mcp(@Req() request: FastifyRequest): object {
    return this.#metadata(`${this.#issuer.address.originOf(request)}/mcp`);
  }

  #metadata(resource: string): object {
    return { resource, authorization_servers: [this.#issuer.url], bearer_methods_supported: ['header'] };
  }
}
