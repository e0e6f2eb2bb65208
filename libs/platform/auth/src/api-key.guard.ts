import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Admission } from './admission.ts';

/** The second line behind the first hook: no handler runs for a request that may not pass. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  readonly #admission: Admission;

  constructor(@Inject(Admission) admission: Admission) {
    this.#admission = admission;
  }

  canActivate(context: ExecutionContext): boolean {
    const fault = this.#admission.faultOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (fault !== undefined) throw fault;
    return true;
  }
}
