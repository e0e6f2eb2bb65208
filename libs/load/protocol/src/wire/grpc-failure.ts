import { Metadata, status } from '@grpc/grpc-js';
import { DomainError } from '#platform/foundation';
import { grpcStatusOf } from '#platform/grpc';

/** Carries our code beside the status. */
const CODE_KEY = 'plexus-code';

/** As gRPC sends it. */
export interface GrpcFailure {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Of an expected failure its code and message; of anything else nothing but that it is one. */
export function grpcFailureOf(error: unknown): GrpcFailure {
  const metadata = new Metadata();
  if (!(error instanceof DomainError)) return { code: status.INTERNAL, details: 'internal error', metadata };
  metadata.set(CODE_KEY, error.code);
  return { code: grpcStatusOf(error.code), details: error.message, metadata };
}

/** Our code in what a call failed with; undefined when the other side did not say. */
export function codeInFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('metadata' in error) || !(error.metadata instanceof Metadata)) {
    return undefined;
  }
  const [code] = error.metadata.get(CODE_KEY);
  return typeof code === 'string' ? code : undefined;
}
