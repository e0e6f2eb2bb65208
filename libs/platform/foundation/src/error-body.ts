import { DomainError } from './domain-error.ts';
import { ERROR_CATALOGUE } from './error-catalogue.ts';

/** An error as a client sees it. */
export interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly request_id?: string;
}

/** Expected failures name themselves; of all others a client sees no more than that there was one. */
export function errorBody(error: unknown, requestId?: string): ErrorBody {
  if (!isShown(error))
    return { error: 'INTERNAL_ERROR', message: 'internal error', request_id: requestId ?? '' };
  return {
    error: error.code,
    message: error.message,
    ...(error.details !== undefined && { details: error.details }),
    ...(requestId !== undefined && { request_id: requestId }),
  };
}

/** Whether a client may see the error itself: it was expected, and is none of the inside. */
export function isShown(error: unknown): error is DomainError {
  if (!(error instanceof DomainError)) return false;
  const { httpStatus, ...facts } = ERROR_CATALOGUE[error.code];
  return httpStatus !== 500 || 'isTold' in facts;
}
