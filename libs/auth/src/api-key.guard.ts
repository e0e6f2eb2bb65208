import { type CanActivate, type ExecutionContext, HttpException, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeyGate } from './api-key-gate.ts';
import { publicMarkOf } from './auth-hook.ts';
import { UNAUTHORIZED_BODY } from './unauthorized.ts';

/** The second line behind the hook: no handler runs for a stranger, however the request reached it. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  readonly #gate: ApiKeyGate;

  constructor(@Inject(ApiKeyGate) gate: ApiKeyGate) {
    this.#gate = gate;
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.#gate.isOpen) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (this.#gate.admits(request.headers.authorization, publicMarkOf(request))) return true;
    http.getResponse<FastifyReply>().header('WWW-Authenticate', 'Bearer');
    throw new HttpException(UNAUTHORIZED_BODY, 401);
  }
}
