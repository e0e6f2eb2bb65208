import { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.ts';

/** A defect of this program: the process logs it and exits. Never thrown for bad input. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/** Throws {@link InvariantViolation} unless `condition` holds. `message` states the expectation. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}

/** Marks a branch that the types rule out. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`unexpected value ${String(value)}`);
}

export interface DomainErrorOptions {
  /** Machine-readable facts for the caller: field names, positions, counts. Never a secret or a path. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An expected failure. `message` is lower case and states what was expected, the actual value, and where. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: DomainErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }
}

/** An error as a client sees it. */
export interface ErrorBody {
  readonly error: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly request_id?: string;
}

/** The body of an expected failure; for all other errors a generic one. */
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

/** Whether the error may be shown to a client: it is expected and exposes no internals. */
export function isShown(error: unknown): error is DomainError {
  if (!(error instanceof DomainError)) return false;
  const { httpStatus, ...facts } = ERROR_CATALOGUE[error.code];
  return httpStatus !== 500 || 'isMessageShown' in facts;
}

/**
 * The `code` of an error of Node or Fastify; undefined for other values. Checked by property, not by class:
 * each realm has its own classes.
 */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
