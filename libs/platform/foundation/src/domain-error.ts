import type { ErrorCode } from './error-catalogue.ts';

export interface DomainErrorOptions {
  /** Machine-readable facts for the caller: field names, positions, counts. Never a secret or a path. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An expected failure. `message` is lower case and says what was expected, what came, and where. */
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
