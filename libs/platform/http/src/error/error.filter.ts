import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, InvariantViolation } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { largeBodyRemedyOf } from '../body/large-body-remedy.ts';
import { errorReply } from './error-reply.ts';

export interface ErrorFilterOptions {
  readonly log: Log;
  /** Called after the reply to a request that violated an invariant: the process must end. */
  readonly onBrokenPromise?: ((error: InvariantViolation) => void) | undefined;
}

const RETRY_AFTER_S = '1';

/** Answers every error in the envelope, and logs unexpected ones. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  readonly #options: ErrorFilterOptions;

  constructor(options: ErrorFilterOptions) {
    this.#options = options;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { status, body, isDefect } = errorReply(error, request.id);
    if (isDefect) this.#report(error, request);
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    if (error instanceof DomainError && error.code === 'TOO_BUSY') reply.header('Retry-After', RETRY_AFTER_S);
    if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
    reply.removeHeader('Connection').removeHeader('Content-Encoding');
    const remedy = status === 413 ? largeBodyRemedyOf(request) : undefined;
    const shown = remedy === undefined ? body : { ...body, message: `${body.message}: ${remedy}` };
    reply.code(status).type('application/json; charset=utf-8').send(shown);
  }

  #report(error: unknown, request: FastifyRequest): void {
    const route = request.routeOptions.url;
    const { log, onBrokenPromise } = this.#options;
    log.error({ event: 'http.defect', err: error, route, request_id: request.id }, 'request failed');
    if (error instanceof InvariantViolation) onBrokenPromise?.(error);
  }
}
