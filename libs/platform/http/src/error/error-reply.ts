import { HttpException } from '@nestjs/common';
import {
  DomainError,
  ERROR_CATALOGUE,
  type ErrorBody,
  errorBody,
  type ErrorCode,
  errorCodeOf,
  isShown,
} from '#platform/foundation';

/** An error as sent to a client. */
export interface ErrorReply {
  readonly status: number;
  readonly body: ErrorBody;
  /** Whether the error was unexpected and needs attention. */
  readonly isDefect: boolean;
}

const CODE_BY_STATUS: Readonly<Partial<Record<number, ErrorCode>>> = {
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  503: 'STORE_UNAVAILABLE',
};

/** Replacements for the framework's messages, which expose internals. */
const MESSAGE_BY_STATUS: Readonly<Partial<Record<number, string>>> = {
  404: 'no such path',
  413: 'the body is larger than the limit',
  414: 'a part of the path is too long',
  415: 'Content-Type: expected application/json',
};

const MESSAGE_BY_FRAMEWORK_CODE: Readonly<Partial<Record<string, string>>> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as Content-Length says',
  FST_ERR_BAD_URL: 'the path is not a valid URL',
};

/**
 * The reply for any error. `requestId` is omitted from bodies whose fields are fixed by the specification.
 */
export function errorReply(error: unknown, requestId: string | undefined): ErrorReply {
  if (error instanceof DomainError) return domainReply(error, requestId);
  if (error instanceof HttpException && isErrorBody(error.getResponse())) {
    return { status: error.getStatus(), body: error.getResponse() as ErrorBody, isDefect: false };
  }
  const status = statusOf(error);
  if (status < 400 || status >= 500) return domainReply(error, requestId);
  const code = CODE_BY_STATUS[status] ?? 'INVALID_REQUEST';
  return domainReply(new DomainError(code, frameworkMessage(error, status)), requestId);
}

function domainReply(error: unknown, requestId: string | undefined): ErrorReply {
  const isDefect = !isShown(error);
  const { httpStatus: status } = ERROR_CATALOGUE[isDefect ? 'INTERNAL_ERROR' : error.code];
  return { status, body: errorBody(error, requestId), isDefect };
}

/** The status of a framework error: HttpException, or Fastify's with `statusCode`. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (!(error instanceof Error) || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' ? error.statusCode : 500;
}

function frameworkMessage(error: unknown, status: number): string {
  const framework = errorCodeOf(error) ?? '';
  return MESSAGE_BY_FRAMEWORK_CODE[framework] ?? MESSAGE_BY_STATUS[status] ?? 'the request is malformed';
}

/** Whether the thrower has provided the complete body, such as the 401's. */
function isErrorBody(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || 'statusCode' in body) return false;
  return 'error' in body && 'message' in body;
}
