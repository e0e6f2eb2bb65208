import { Metadata, type status } from '@grpc/grpc-js';
import { DomainError, type ErrorBody } from '#platform/foundation';
import { errorReply } from '#platform/http';
import { grpcStatusOf, grpcStatusOfHttp } from './grpc-status.ts';

/** The trailer that carries our error, as JSON in ASCII. */
export const ERROR_TRAILER = 'plexus-error';

/** Headers are bounded on both sides; details beyond this length are omitted. */
const TRAILER_LENGTH_MAX = 4_096;
const MESSAGE_LENGTH_MAX = 1_024;

/** A failure in the form of gRPC. */
export interface CallFailure {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
  /** Whether the error was unexpected and needs attention. */
  readonly isDefect: boolean;
}

/** Any error, with the body of the corresponding REST response. */
export function callFailureOf(error: unknown, requestId: string | undefined): CallFailure {
  const { status: httpStatus, body, isDefect } = errorReply(error, requestId);
  const code =
    error instanceof DomainError && !isDefect ? grpcStatusOf(error.code) : grpcStatusOfHttp(httpStatus);
  return { code, details: short(body.message), metadata: errorTrailer(body), isDefect };
}

export function errorTrailer(body: ErrorBody): Metadata {
  const metadata = new Metadata();
  const whole = asciiJson(body);
  const text =
    whole.length <= TRAILER_LENGTH_MAX
      ? whole
      : asciiJson({ ...body, message: short(body.message), details: undefined });
  metadata.set(ERROR_TRAILER, text);
  return metadata;
}

function short(message: string): string {
  return message.slice(0, MESSAGE_LENGTH_MAX).toWellFormed();
}

/** JSON in ASCII only, as headers require. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}
