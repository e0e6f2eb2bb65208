import { Metadata, status } from '@grpc/grpc-js';
import { DomainError } from '#platform/foundation';
import { grpcStatusOf } from '#platform/grpc';

/** The metadata key of the `DomainError` code. */
const CODE_KEY = 'plexus-code';

/** An error in the form of gRPC. */
export interface GrpcFailure {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Code and message of a `DomainError`; for any other error only "internal error". */
export function grpcFailureOf(error: unknown): GrpcFailure {
  const metadata = new Metadata();
  if (!(error instanceof DomainError)) return { code: status.INTERNAL, details: 'internal error', metadata };
  metadata.set(CODE_KEY, error.code);
  return { code: grpcStatusOf(error.code), details: error.message, metadata };
}

/** The `DomainError` code in a call's error; undefined if the other side sent none. */
export function codeInFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('metadata' in error) || !(error.metadata instanceof Metadata)) {
    return undefined;
  }
  const [code] = error.metadata.get(CODE_KEY);
  return typeof code === 'string' ? code : undefined;
}
