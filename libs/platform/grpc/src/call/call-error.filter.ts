import type { Metadata } from '@grpc/grpc-js';
import { type ArgumentsHost, Catch, Inject, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { InvariantViolation, StopSignal } from '#platform/foundation';
import { Log } from '#platform/observability';
import { type CallFailure, callFailureOf } from './call-failure.ts';
import { openCallOf } from './open-call.ts';

/** Ends a call with the error body of REST, and logs unexpected errors. */
@Catch()
export class CallErrorFilter implements RpcExceptionFilter {
  readonly #log: Log;
  readonly #stop: StopSignal;

  constructor(@Inject(Log) log: Log, @Inject(StopSignal) stop: StopSignal) {
    this.#log = log;
    this.#stop = stop;
  }

  catch(error: unknown, host: ArgumentsHost): Observable<never> {
    const failure = this.failureOf(error, host.switchToRpc().getContext<Metadata>());
    return throwError(() => failure);
  }

  /** The failure of a handler that Nest's filters do not reach. */
  failureOf(error: unknown, metadata: Metadata): CallFailure {
    const call = openCallOf(metadata);
    const failure = callFailureOf(error, call?.requestId);
    if (failure.isDefect) this.#report(error, call?.method, call?.requestId);
    return failure;
  }

  #report(error: unknown, method: string | undefined, requestId: string | undefined): void {
    this.#log.error({ event: 'grpc.defect', err: error, method, request_id: requestId }, 'call failed');
    if (error instanceof InvariantViolation) this.#stop.fail(error);
  }
}
