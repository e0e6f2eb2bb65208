import {
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Soon, whenThere } from '#platform/foundation';
import { Admission } from './admission.ts';

/**
 * Second check after the first hook: no handler runs for a request that is not admitted, or whose caller
 * lacks what the handler requires.
 */
@Injectable()
class AccessGuard implements CanActivate {
  readonly #admission: Admission;

  constructor(@Inject(Admission) admission: Admission) {
    this.#admission = admission;
  }

  canActivate(context: ExecutionContext): Soon<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return whenThere(this.#admission.faultOf(request), (fault) => {
      if (fault !== undefined) throw fault;
      return true;
    });
  }
}

/** Guards every controller of the application. */
@Module({})
export class AuthModule {
  static forRoot(admission: Admission): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        { provide: Admission, useValue: admission },
        { provide: APP_GUARD, useClass: AccessGuard },
      ],
    };
  }
}
