import { status } from '@grpc/grpc-js';
import { ERROR_CATALOGUE, type ErrorCode } from '#platform/foundation';

const STATUS_BY_HTTP: Readonly<Partial<Record<number, status>>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  409: status.FAILED_PRECONDITION,
  410: status.FAILED_PRECONDITION,
  412: status.FAILED_PRECONDITION,
  413: status.RESOURCE_EXHAUSTED,
  422: status.FAILED_PRECONDITION,
  429: status.RESOURCE_EXHAUSTED,
  501: status.UNIMPLEMENTED,
  502: status.UNAVAILABLE,
  503: status.UNAVAILABLE,
  504: status.DEADLINE_EXCEEDED,
  507: status.RESOURCE_EXHAUSTED,
};

/** Codes with a more precise gRPC status than the one of their HTTP status. */
const STATUS_BY_CODE: Readonly<Partial<Record<ErrorCode, status>>> = {
  CERTIFICATE_INVALID: status.UNAUTHENTICATED,
  DUPLICATE_KEY: status.INVALID_ARGUMENT,
  QUERY_TOO_LARGE: status.RESOURCE_EXHAUSTED,
};

/** The status of an expected failure. */
export function grpcStatusOf(code: ErrorCode): status {
  return STATUS_BY_CODE[code] ?? grpcStatusOfHttp(ERROR_CATALOGUE[code].httpStatus);
}

export function grpcStatusOfHttp(httpStatus: number): status {
  return STATUS_BY_HTTP[httpStatus] ?? status.INTERNAL;
}
